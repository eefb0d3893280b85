// The page: fields → answer → results. Each tab is a form; its fields by name are all that the server gets.
const page = document.querySelector('.page');
const panels = new Map();
const panelOf = (node) => panels.get(node.closest('.panel').id);
const shown = []; // what other scripts do with new results: functions of a panel
const MOST_BYTES = 10_000_000;

function makePanel(section) {
  const at = (selector) => section.querySelector(selector);
  const panel = { name: section.id, section, form: at('form'), results: at('.results'), problems: at('.problems'), boxes: {}, busy: false, again: false, isAsked: false };
  const { form, boxes } = panel;
  panel.results.classList.add('scripted');
  for (const box of section.querySelectorAll('.box')) {
    const name = box.dataset.of;
    boxes[name] = { box, text: box.querySelector('textarea'), mirror: box.querySelector('.mirror'), note: box.querySelector('.note') };
    box.querySelector('input[type=file]').addEventListener('change', ({ target }) => { openFiles(panel, name, [...target.files]); target.value = ''; });
    box.addEventListener('dragover', (event) => event.preventDefault());
    box.addEventListener('drop', (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      openFiles(panel, name, [...event.dataTransfer.files]);
    });
  }
  form.addEventListener('input', ({ target }) => { if (target.type !== 'file') changed(panel); });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('scroll', ({ target }) => { if (target.matches('textarea')) target.previousElementSibling.scrollTop = target.scrollTop; }, true);
  section.addEventListener('click', ({ target }) => { const button = target.closest('button'); if (button) clicked(panel, button); });
  panels.set(panel.name, panel);
}

// The fields by name; of several with one name a list with commas, and nothing that is empty.
function valuesOf(panel) {
  const values = {};
  for (const [name, value] of new FormData(panel.form)) if (value) values[name] = name in values ? `${values[name]},${value}` : value;
  return values;
}

// ---- Asking: one request at a time; of those that wait, the last.
async function update(panel) {
  panel.isAsked = true;
  if (panel.busy) { panel.again = true; return; }
  panel.busy = true;
  const answer = await ask(`answer/${panel.name}`, valuesOf(panel)).then((found) => found.json()).catch(offline);
  panel.busy = false;
  show(panel, answer);
  if (panel.again) { panel.again = false; update(panel); }
}
async function ask(address, values) {
  const found = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) });
  if (!found.ok) throw Error(await found.text());
  return found;
}
const offline = (error) => ({ html: null, notes: {}, error: error instanceof TypeError ? 'No connection: these are the results of before.' : error.message });

function show(panel, { html, problem, notes, error }) {
  const { problems, results } = panel;
  problems.innerHTML = problem ?? '';
  if (error) { const told = element('p', error, 'problem'); told.setAttribute('role', 'alert'); problems.replaceChildren(told); }
  results.classList.toggle('stale', html === null && results.hasChildNodes());
  for (const [name, { note }] of Object.entries(panel.boxes)) note.textContent = notes[name] ?? '';
  mark(panel);
  if (html === null) return;
  const kept = [...results.querySelectorAll('.query, .order, .errors-only')].map(({ value, checked }) => ({ value, checked }));
  const open = [...results.querySelectorAll('details')].map((each) => each.open);
  // The policy allows no style in the markup, only one that the script sets.
  results.innerHTML = html.replaceAll(' style="', ' data-style="');
  for (const each of results.querySelectorAll('[data-style]')) each.style.cssText = each.dataset.style;
  results.querySelectorAll('details').forEach((each, index) => { each.open = open[index] ?? each.open; });
  for (const table of results.querySelectorAll('table.sortable')) makeSortable(table);
  for (const tools of results.querySelectorAll('[data-table]')) makeSearchable(tools);
  for (const viewer of results.querySelectorAll('.viewer')) {
    viewer.querySelectorAll('.query, .order, .errors-only').forEach((field, index) => Object.assign(field, kept[index] ?? (field.matches('.order') && { value: 'text' })));
    makeViewer(viewer);
  }
  for (const cell of results.querySelectorAll('[id^=words-table] tbody th')) {
    const button = Object.assign(element('button', '', 'filter'), { type: 'button', title: 'Show the lines with this word' });
    button.dataset.filter = cell.textContent;
    button.append(...cell.childNodes);
    cell.append(button);
  }
  for (const part of shown) part(panel);
}
function changed(panel) {
  mark(panel);
  update(panel);
}

// ---- Boxes: behind each stands its text once more, with line numbers, the word under the pointer, and the place of an error.
const LONG = 200_000; // characters, beyond which a file is not shown in its box
const isOutside = ({ form, boxes }, name) => Boolean(form.elements[`${name}.bytes`].value) || (form.elements[`${name}.file`].value !== '' && boxes[name].text.value.length > LONG);
function mark(panel, hover = null) {
  for (const [name, { text, mirror, box }] of Object.entries(panel.boxes)) {
    const file = panel.form.elements[`${name}.file`].value;
    const chip = box.querySelector('.chip');
    chip.hidden = !file;
    chip.querySelector('bdi').textContent = file;
    box.querySelector('.column').hidden = !text.value.trimStart().startsWith('{');
    const isHidden = box.querySelector('.editor').hidden = isOutside(panel, name);
    const place = placeIn(panel, name) ?? wordIn(text.value, hover);
    const now = isHidden ? mirror.now : JSON.stringify([text.value, place]);
    if (mirror.now === now) continue;
    mirror.now = now;
    mirror.replaceChildren(...text.value.split('\n').slice(0, 2000).map((line, number) => {
      const made = element('span', '', 'line');
      if (place?.line !== number) made.append(line || '\u200b');
      else made.append(line.slice(0, place.start), element('mark', line.slice(place.start, place.end) || ' ', place.kind), line.slice(place.end));
      return made;
    }));
    mirror.scrollTop = text.scrollTop;
  }
  for (const field of panel.form.elements) {
    if (field.name && field.type !== 'hidden') field.setAttribute('aria-invalid', String(panel.problems.querySelector(`[data-at="${CSS.escape(field.name)}"], [data-box="${CSS.escape(field.name)}"]`) !== null));
  }
}
function placeIn(panel, name) {
  const button = panel.problems.querySelector(`button[data-box="${name}"]`);
  return button && { line: Number(button.dataset.line), start: Number(button.dataset.start), end: Number(button.dataset.end) };
}
// The word of a line that has a unit.
function wordIn(text, hover) {
  let seen = 0;
  for (const { 0: word, index } of hover ? (text.split('\n')[hover.line] ?? '').matchAll(/\S+/gu) : []) {
    seen += [...word].length;
    if (seen > hover.unit) return { line: hover.line, start: index, end: index + word.length, kind: 'hover' };
  }
  return null;
}
function select(panel, name) {
  const { text, mirror } = panel.boxes[name];
  const { line, start, end } = placeIn(panel, name);
  const from = text.value.split('\n').slice(0, line).join('\n').length + (line > 0);
  text.focus();
  text.setSelectionRange(from + start, from + Math.max(end, start));
  text.scrollTop = (mirror.children[line]?.offsetTop ?? 0) - text.clientHeight / 2;
}

// ---- Files are read in the browser; what is no plain UTF-8 goes to the server as it is.
async function openFiles(panel, name, files) {
  const names = Object.keys(panel.boxes);
  const from = names.indexOf(name);
  for (const [index, file] of files.slice(0, names.length - from).entries()) await openFile(panel, names[from + index], file);
  update(panel);
}
async function openFile(panel, name, file) {
  if (file.size > MOST_BYTES) {
    const error = `${file.name}, ${counted(file.size)} bytes: this page takes ${counted(MOST_BYTES)}. The command reads it: segmentation-scores ${panel.form.dataset.task} REFERENCE PREDICTION`;
    show(panel, { html: null, notes: {}, error });
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const given = { file: file.name, name: file.name };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
    if (text.includes('\0')) throw Error('no text');
    given.text = text.replace(/\n$/, '');
  } catch { given.bytes = toBase64(bytes); }
  fill(panel, name, given);
}
const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
// What is in a box, in its fields.
function fill({ form, boxes }, name, { text = '', file = '', bytes = '', ...others }) {
  boxes[name].text.value = text;
  for (const [part, value] of Object.entries({ file, bytes, ...others })) {
    const field = form.elements[`${name}.${part}`];
    if (field) field.value = value;
  }
}
const contentsOf = ({ form, boxes }) => Object.keys(boxes).map((name) => ({ text: boxes[name].text.value, file: form.elements[`${name}.file`].value, bytes: form.elements[`${name}.bytes`].value }));
// The contents of the boxes are changed together.
function edit(panel, change) {
  const contents = contentsOf(panel);
  Object.keys(panel.boxes).forEach((name, index) => fill(panel, name, change(contents[index], index, contents)));
  changed(panel);
}

// ---- Buttons: what one does is named by an attribute data-ACTION, whose value it gets.
const actions = {
  swap(panel) { edit(panel, (content, index, contents) => contents[index < 2 ? 1 - index : index]); },
  clear(panel) {
    panel.results.replaceChildren();
    edit(panel, () => ({}));
  },
  lower(panel) {
    const packed = contentsOf(panel).find(({ bytes }) => bytes);
    if (packed) notify(`${packed.file} keeps its case: it is packed, so this page cannot change it.`);
    edit(panel, ({ text, ...content }) => ({ text: text.toLowerCase(), ...content }));
  },
  remove(panel, name) {
    fill(panel, name, { text: isOutside(panel, name) ? '' : panel.boxes[name].text.value });
    panel.boxes[name].text.focus();
    changed(panel);
  },
  example(panel, texts) {
    for (const [name, text] of Object.entries(JSON.parse(texts))) {
      if (panel.boxes[name]) fill(panel, name, { text });
      else panel.form.elements[name].value = text;
    }
    changed(panel);
  },
  set(panel, setting) {
    const [name, ...value] = setting.split('=');
    panel.form.elements[name].value = value.join('=');
    changed(panel);
  },
  box: select,
  async link(panel, query, button) {
    const link = await linkOf(panel, query);
    if (link) copy(button, query ? `<iframe src="${link}" title="Segmentation scores" width="720" height="360"></iframe>` : link);
  },
  async export(panel, form, button) {
    try {
      const found = await ask(`export/${panel.name}/${form}`, valuesOf(panel));
      save(await found.blob(), form === 'html' ? 'report.html' : `segmentation_scores.${form}`);
    } catch (error) { button.after(element('span', ` ${offline(error).error}`, 'problem')); }
  },
  filter({ results }, word) {
    const query = results.querySelector('.viewer .query');
    query.value = word.replace(/^◌/u, '');
    query.dispatchEvent(new Event('input'));
    query.closest('.viewer').scrollIntoView({ block: 'nearest' });
  },
  copy(panel, _, button) { copy(button, button.parentElement.querySelector('pre, code').textContent); },
};
function clicked(panel, button) {
  const action = Object.keys(actions).find((name) => name in button.dataset);
  if (action) actions[action](panel, button.dataset[action], button);
}
async function copy(button, text) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = element('textarea', text);
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    button.focus();
  }
  const label = button.dataset.label ??= button.textContent;
  button.textContent = 'Copied ✓';
  setTimeout(() => { button.textContent = label; }, 2000);
}
function save(blob, name) {
  const link = Object.assign(element('a', ''), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// ---- Links: the fields of a tab after the #, deflated; browsers do not send that part.
const LONGEST = 60_000; // characters of a link that programs pass on; so few do not unpack to gigabytes
function notify(text) {
  Object.assign(page.querySelector('.notice'), { textContent: text, hidden: false });
}
const through = async (stream, bytes) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
async function linkOf(panel, query) {
  const values = valuesOf(panel);
  if (values.question) return `${location.origin}${location.pathname}${query}#${panel.name}/${values.question}`;
  const outside = Object.keys(panel.boxes).find((name) => isOutside(panel, name));
  if (outside) { notify(`A link cannot hold the file ${values[`${outside}.file`]}: send the file with the command below the results.`); return ''; }
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify({ version: page.dataset.version, values })));
  const text = toBase64(packed).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (text.length > LONGEST) { notify(`The link would have ${counted(text.length)} characters, and programs pass on ${counted(LONGEST)}: share the files.`); return ''; }
  return `${location.origin}${location.pathname}${query}#${panel.name}=${text}`;
}
async function read(text) {
  if (text.length > LONGEST) throw Error('too long');
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), packed)));
}
function restore(panel, { version, values }) {
  for (const field of panel.form.elements) {
    const value = String(values[field.name] ?? '');
    if (field.type === 'checkbox') field.checked = value.split(',').includes(field.value);
    else if (field.name) field.value = value;
  }
  for (const { text } of Object.values(panel.boxes)) text.scrollTop = 0;
  notify(`These are the texts and options of a link that was made with version ${version}; version ${page.dataset.version} computes the scores.`);
}

// ---- Tabs are addresses: #NAME, #NAME/QUESTION, or #NAME=TEXTS.
async function openTab() {
  const [path, packed = ''] = location.hash.slice(1).split('=', 2);
  const [name, question = ''] = path.split('/');
  const link = packed && await read(packed).catch(() => notify('This link is damaged or was cut short: the page shows its example.'));
  const panel = panels.get(name) ?? panels.values().next().value;
  const field = panel.form.elements.question;
  if (field && field.value !== question) { field.value = question; panel.isAsked = false; }
  for (const tab of page.querySelectorAll('.tabs a')) {
    if (tab.hash === `#${panel.name}`) tab.setAttribute('aria-current', 'page'); else tab.removeAttribute('aria-current');
  }
  for (const each of panels.values()) each.section.hidden = each !== panel;
  // A Space is a frame of huggingface.co, which shows the anchor in its own address.
  if (window.parent !== window) window.parent.postMessage({ hash: location.hash }, 'https://huggingface.co');
  if (link?.values) restore(panel, link);
  mark(panel);
  if (link || !panel.isAsked) update(panel);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark', dark.matches);
dark.addEventListener('change', follow);
follow();
document.documentElement.classList.add('scripted');
document.documentElement.classList.toggle('embedded', new URLSearchParams(location.search).has('embed'));
for (const section of page.querySelectorAll('.panel')) makePanel(section);
addEventListener('hashchange', openTab);
// After the other scripts.
addEventListener('DOMContentLoaded', openTab);

// The page: fields → answer → results. Each tab is a form; its fields by name are all that the server gets.
const page = document.querySelector('.page');
const panels = new Map();
const parts = { viewer: [], results: [] }; // what other scripts do with new results: functions of a panel

function makePanel(section) {
  const form = section.querySelector('form');
  const at = (selector) => section.querySelector(selector);
  const panel = {
    name: section.id, section, form, results: at('.results'), problems: at('.problems'), boxes: {},
    busy: false, again: false, isAsked: false,
  };
  panel.results.classList.add('scripted');
  for (const box of section.querySelectorAll('.box')) {
    panel.boxes[box.dataset.of] = { box, text: box.querySelector('textarea'), mirror: box.querySelector('.mirror'), note: box.querySelector('.note') };
  }
  form.addEventListener('input', ({ target }) => { if (target.type !== 'file') changed(panel); });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('scroll', ({ target }) => { if (target.matches('textarea')) target.previousElementSibling.scrollTop = target.scrollTop; }, true);
  for (const [name, { box }] of Object.entries(panel.boxes)) {
    box.querySelector('input[type=file]').addEventListener('change', ({ target }) => { openFiles(panel, name, [...target.files]); target.value = ''; });
    box.addEventListener('dragover', (event) => event.preventDefault());
    box.addEventListener('drop', (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      openFiles(panel, name, [...event.dataTransfer.files]);
    });
  }
  section.addEventListener('click', (event) => clicked(panel, event));
  panels.set(panel.name, panel);
  return panel;
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
  panel.problems.innerHTML = problem ?? '';
  if (error) { const told = element('p', error, 'problem'); told.setAttribute('role', 'alert'); panel.problems.replaceChildren(told); }
  panel.results.classList.toggle('stale', html === null && panel.results.hasChildNodes());
  for (const [name, { note }] of Object.entries(panel.boxes)) note.textContent = notes[name] ?? '';
  mark(panel);
  if (html === null) return;
  const viewed = ['.query', '.order'].map((kind) => panel.results.querySelector(kind)?.value);
  const isErrorsOnly = panel.results.querySelector('.errors-only')?.checked ?? false;
  const open = [...panel.results.querySelectorAll('details')].map((each) => each.open);
  panel.results.innerHTML = html;
  panel.results.querySelectorAll('details').forEach((each, index) => { each.open = open[index] ?? each.open; });
  for (const table of panel.results.querySelectorAll('table.sortable')) makeSortable(table);
  for (const tools of panel.results.querySelectorAll('[data-table]')) makeSearchable(tools);
  for (const viewer of panel.results.querySelectorAll('.viewer')) {
    viewer.querySelector('.query').value = viewed[0] ?? '';
    viewer.querySelector('.order').value = viewed[1] ?? 'text';
    viewer.querySelector('.errors-only').checked = isErrorsOnly;
    makeViewer(viewer);
  }
  for (const cell of panel.results.querySelectorAll('[id^=words-table] tbody th, .most-wrong tbody th')) {
    const button = Object.assign(element('button', '', 'filter'), { type: 'button', title: 'Show the lines with this word' });
    button.append(...cell.childNodes);
    cell.append(button);
  }
  for (const part of parts.results) part(panel);
}

function changed(panel) {
  mark(panel);
  update(panel);
}

// ---- Boxes: behind each stands its text once more, with line numbers, the line under the pointer, and the place of an error.
const LONG = 200_000; // characters, beyond which a file is not shown in its box
const isOutside = ({ form, boxes }, name) => Boolean(form.elements[`${name}.bytes`].value) || (form.elements[`${name}.file`].value !== '' && boxes[name].text.value.length > LONG);
function mark(panel, hover = -1) {
  for (const [name, { text, mirror, box }] of Object.entries(panel.boxes)) {
    const file = panel.form.elements[`${name}.file`].value;
    const chip = box.querySelector('.chip');
    chip.hidden = !file;
    chip.querySelector('bdi').textContent = file;
    const isHidden = box.querySelector('.editor').hidden = isOutside(panel, name);
    const place = placeIn(panel, name);
    const now = isHidden ? mirror.now : JSON.stringify([text.value, hover, place]);
    if (mirror.now !== now) {
      mirror.now = now;
      mirror.replaceChildren(...text.value.split('\n').slice(0, 2000).map((line, number) => {
        const made = element('span', '', number === hover ? 'line hover' : 'line');
        if (place?.line !== number) made.append(line || '\u200b');
        else made.append(line.slice(0, place.start), element('mark', line.slice(place.start, place.end) || ' '), line.slice(place.end));
        return made;
      }));
      mirror.scrollTop = text.scrollTop;
    }
    const isWrong = Boolean(place) || panel.problems.querySelector(`[data-at="${name}"]`) !== null;
    text.setAttribute('aria-invalid', String(isWrong));
    fillColumns(panel, name, box);
  }
}
function placeIn(panel, name) {
  const button = panel.problems.querySelector(`button[data-box="${name}"]`);
  return button && Object.fromEntries(['line', 'start', 'end'].map((key) => [key, Number(button.dataset[key])]));
}
const lineStart = (text, line) => text.split('\n').slice(0, line).join('\n').length + (line > 0);
function select(panel, name) {
  const { text, mirror } = panel.boxes[name];
  const { line, start, end } = placeIn(panel, name);
  const from = lineStart(text.value, line);
  text.focus();
  text.setSelectionRange(from + start, from + Math.max(end, start));
  const shown = mirror.children[line];
  if (shown) text.scrollTop = shown.offsetTop - text.clientHeight / 2;
}

// The columns of JSON lines, from the first line of the text or the file.
function fillColumns(panel, name, box) {
  const text = panel.boxes[name].text.value;
  const label = box.querySelector('.column');
  let columns = [];
  if (text.trimStart().startsWith('{')) {
    try {
      columns = Object.entries(JSON.parse(text.trimStart().split('\n', 1)[0])).filter(([, value]) => typeof value === 'string' || Array.isArray(value)).map(([key]) => key);
    } catch { /* no JSON: the answer says so */ }
  }
  label.hidden = columns.length < 2;
  const options = ['', ...columns].join('\n');
  if (label.dataset.options === options) return;
  label.dataset.options = options;
  const list = label.querySelector('select');
  const chosen = list.value;
  list.replaceChildren(...['', ...columns].map((column) => Object.assign(element('option', column || 'as usual'), { value: column })));
  list.value = columns.includes(chosen) ? chosen : '';
}

// ---- Files are read in the browser; what is no plain UTF-8 goes to the server as it is.
async function openFiles(panel, name, files) {
  const names = Object.keys(panel.boxes);
  const from = names.indexOf(name);
  for (const [index, file] of files.slice(0, names.length - from).entries()) await openFile(panel, names[from + index], file);
  update(panel);
}
async function openFile(panel, name, file) {
  if (file.size > 10_000_000) {
    const error = `${file.name}, ${counted(file.size)} bytes: this page takes 10,000,000. The command reads it: segmentation-scores score REFERENCE PREDICTION`;
    show(panel, { html: null, notes: {}, error });
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const given = { file: file.name, name: file.name };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
    if (text.includes('\0')) throw Error('no text');
    given.text = text.replace(/\n$/, '');
  } catch {
    let binary = '';
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    given.bytes = btoa(binary);
  }
  fill(panel, name, given);
}
// What is in a box, in its fields.
function fill({ form, boxes }, name, { text = '', file = '', bytes = '', ...others }) {
  boxes[name].text.value = text;
  for (const [part, value] of Object.entries({ file, bytes, ...others })) {
    const field = form.elements[`${name}.${part}`];
    if (field) field.value = value;
  }
}
const contentOf = ({ form, boxes }, name) => ({ text: boxes[name].text.value, file: form.elements[`${name}.file`].value, bytes: form.elements[`${name}.bytes`].value });

// ---- Buttons.
const actions = {
  swap(panel) {
    const [left, right] = Object.keys(panel.boxes);
    const content = contentOf(panel, left);
    fill(panel, left, contentOf(panel, right));
    fill(panel, right, content);
  },
  clear(panel) {
    const names = Object.keys(panel.boxes);
    for (const name of names) fill(panel, name, {});
    panel.results.replaceChildren();
    panel.boxes[names[0]].text.focus();
  },
  lower(panel) {
    for (const { text } of Object.values(panel.boxes)) text.value = text.value.toLowerCase();
    const packed = Object.keys(panel.boxes).map((name) => contentOf(panel, name)).find(({ bytes }) => bytes);
    if (packed) notify(`${packed.file} keeps its case: it is packed, so this page cannot change it.`);
  },
  remove(panel, button) {
    const name = button.closest('.box').dataset.of;
    const { text } = panel.boxes[name];
    fill(panel, name, { text: isOutside(panel, name) ? '' : text.value });
    mark(panel);
    text.focus();
  },
};
async function clicked(panel, event) {
  const button = event.target.closest('button');
  if (!button || !panel.section.contains(button)) return;
  const { do: action, example, set, box, export: form } = button.dataset;
  if (action === 'link' || action === 'embed') {
    const link = await linkOf(panel, action);
    if (link) copy(button, action === 'link' ? link : `<iframe src="${link}" title="Segmentation scores" width="720" height="360"></iframe>`);
  } else if (button.matches('.filter')) {
    const viewer = panel.results.querySelector('.viewer');
    const query = viewer.querySelector('.query');
    query.value = button.textContent.replace(/^◌/u, '');
    query.dispatchEvent(new Event('input'));
    viewer.scrollIntoView({ block: 'nearest' });
  } else if (button.matches('.picture')) save(pictureOf(button.closest('li')), `line_${numberOf(button.closest('li')) + 1}.svg`);
  else if (action) { actions[action](panel, button); changed(panel); }
  else if (example) {
    for (const [name, text] of Object.entries(JSON.parse(example))) {
      if (panel.boxes[name]) fill(panel, name, { text });
      else panel.form.elements[name].value = text;
    }
    changed(panel);
  } else if (set) {
    const [name, ...value] = set.split('=');
    panel.form.elements[name].value = value.join('=');
    changed(panel);
  } else if (box) select(panel, box);
  else if (form) download(panel, form, button);
  else if ('copy' in button.dataset) copy(button, button.parentElement.querySelector('pre, code').textContent);
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
  const link = element('a', '');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
async function download(panel, form, button) {
  try {
    const found = await ask(`export/${panel.name}/${form}`, valuesOf(panel));
    save(await found.blob(), form === 'html' ? 'report.html' : `segmentation_scores.${form}`);
  } catch (error) { button.after(element('span', ` ${offline(error).error}`, 'problem')); }
}

// ---- Links: the fields of a tab after the #, deflated; browsers do not send that part.
const LONGEST = 60_000; // characters of a link that programs pass on
function notify(text) {
  const notice = page.querySelector('.notice');
  notice.textContent = text;
  notice.hidden = false;
}
// A short link must not unpack to gigabytes.
async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  for (let size = 0, { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value.length;
    if (size > most) throw Error('too long');
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
async function linkOf(panel, action) {
  const values = valuesOf(panel);
  const outside = Object.keys(panel.boxes).find((name) => isOutside(panel, name));
  if (outside) { notify(`A link cannot hold the file ${values[`${outside}.file`]}: send the file with the command below the results.`); return ''; }
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify({ version: page.dataset.version, values })));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (text.length > LONGEST) { notify(`The link would have ${counted(text.length)} characters, and programs pass on ${counted(LONGEST)}: share the files.`); return ''; }
  return `${location.origin}${location.pathname}${action === 'embed' ? '?embed' : ''}#${panel.name}=${text}`;
}
async function read(text) {
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), packed, 8e6)));
}
function restore(panel, { version, values }) {
  for (const field of panel.form.elements) {
    if (!field.name) continue;
    const value = String(values[field.name] ?? '');
    if (field.type === 'checkbox') field.checked = value.split(',').includes(field.value);
    else {
      if (field.matches('.column select')) field.replaceChildren(element('option', value));
      field.value = value;
    }
  }
  for (const { text } of Object.values(panel.boxes)) text.scrollTop = 0;
  notify(`These are the texts and options of a link that was made with version ${version}; version ${page.dataset.version} computes the scores.`);
}

// ---- Tabs are anchors, and steps of the history.
async function openTab() {
  const [path, packed = ''] = location.hash.slice(1).split('=', 2);
  const [name, question = ''] = path.split('/');
  let link = null;
  if (packed) {
    try { link = await read(packed); } catch { notify('This link is damaged or was cut short: the page shows its example.'); }
  }
  const panel = panels.get(name) ?? panels.values().next().value;
  const field = panel.form.elements.question;
  if (field && field.value !== question) { field.value = question; panel.isAsked = false; }
  for (const tab of page.querySelectorAll('[role=tab]')) {
    const isThis = tab.hash === `#${panel.name}`;
    tab.setAttribute('aria-selected', String(isThis));
    tab.tabIndex = isThis ? 0 : -1;
  }
  for (const each of panels.values()) each.section.hidden = each !== panel;
  if (link?.values) restore(panel, link);
  mark(panel);
  if (link || !panel.isAsked) update(panel);
}
function goTo(tab) {
  history.pushState(null, '', `${location.pathname}${location.search}${tab.hash}`);
  // A Space is a frame of huggingface.co, which shows the anchor in its own address.
  if (window.parent !== window) window.parent.postMessage({ hash: tab.hash }, 'https://huggingface.co');
  openTab();
}
page.querySelector('.tabs').addEventListener('click', (event) => {
  const tab = event.target.closest('[role=tab]');
  if (tab) { event.preventDefault(); goTo(tab); }
});
page.querySelector('.tabs').addEventListener('keydown', ({ key, target }) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (!step || !target.matches('[role=tab]')) return;
  const all = [...page.querySelectorAll('[role=tab]')];
  const next = all[(all.indexOf(target) + step + all.length) % all.length];
  next.focus();
  goTo(next);
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark', dark.matches);
dark.addEventListener('change', follow);
follow();
document.documentElement.classList.add('scripted');
document.documentElement.classList.toggle('embedded', new URLSearchParams(location.search).has('embed'));
for (const section of page.querySelectorAll('[role=tabpanel]')) makePanel(section);
addEventListener('popstate', openTab);
openTab();

// The page: fields → answer → results. Each tab is a form; its fields by name are all that the server gets.
const page = document.querySelector('.page');
const panels = new Map();
const parts = { viewer: [], results: [] }; // what other scripts do with new results: functions of a panel

function makePanel(section) {
  const form = section.querySelector('form');
  const at = (selector) => section.querySelector(selector);
  const panel = {
    name: section.id, section, form, results: at('.results'), problems: at('.problems'), boxes: {}, files: {},
    busy: false, again: false, isAsked: false,
  };
  panel.results.classList.add('scripted');
  for (const box of section.querySelectorAll('.box')) {
    panel.boxes[box.dataset.of] = { box, text: box.querySelector('textarea'), mirror: box.querySelector('.mirror'), note: box.querySelector('.note') };
  }
  panel.first = valuesOf(panel);
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
  for (const [name, { file, bytes, text }] of Object.entries(panel.files)) {
    values[`${name}.file`] = file;
    if (bytes) values[`${name}.bytes`] = bytes;
    if (text !== undefined) values[name] = text;
  }
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
const LONG = 200_000; // characters, beyond which a file stays out of its box
function mark(panel, hover = -1) {
  for (const [name, { text, mirror, box }] of Object.entries(panel.boxes)) {
    const place = placeIn(panel, name);
    const now = JSON.stringify([text.value, hover, place]);
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
  const text = panel.files[name]?.text ?? panel.boxes[name].text.value;
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
  const { text } = panel.boxes[name];
  const told = `${file.name}, ${counted(file.size)} bytes`;
  if (file.size > 10_000_000) {
    show(panel, { html: null, notes: {}, error: `${told}: this page takes 10,000,000. The command reads it: segmentation-scores score REFERENCE PREDICTION` });
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const given = { file: file.name };
  try {
    const read = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
    if (read.includes('\0')) throw Error('no text');
    if (read.length > LONG) given.text = read;
    else text.value = read.replace(/\n$/, '');
  } catch {
    let binary = '';
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    given.bytes = btoa(binary);
  }
  setFile(panel, name, given, told);
  if (panel.form.elements[`${name}.name`]) panel.form.elements[`${name}.name`].value = file.name;
}
function setFile(panel, name, given, told = '') {
  const { box, text } = panel.boxes[name];
  if (given) panel.files[name] = given; else delete panel.files[name];
  const isHidden = Boolean(given && (given.bytes || given.text !== undefined));
  box.querySelector('.chip').hidden = !given;
  box.querySelector('.chip bdi').textContent = told;
  box.querySelector('.editor').hidden = isHidden;
  if (isHidden) text.value = '';
}

// ---- Buttons.
const actions = {
  swap(panel) {
    const [left, right] = Object.keys(panel.boxes);
    const [a, b] = [panel.boxes[left].text, panel.boxes[right].text];
    [a.value, b.value] = [b.value, a.value];
    const files = [panel.files[left], panel.files[right]];
    setFile(panel, left, files[1], files[1]?.file);
    setFile(panel, right, files[0], files[0]?.file);
  },
  clear(panel) {
    for (const [name, { text }] of Object.entries(panel.boxes)) { text.value = ''; setFile(panel, name, null); }
    panel.results.replaceChildren();
    panel.boxes[Object.keys(panel.boxes)[0]].text.focus();
  },
  lower(panel) {
    for (const { text } of Object.values(panel.boxes)) text.value = text.value.toLowerCase();
    for (const file of Object.values(panel.files)) if (file.text !== undefined) file.text = file.text.toLowerCase();
    const packed = Object.values(panel.files).find((file) => file.bytes);
    if (packed) notify(`${packed.file} keeps its case: it is packed, so this page cannot change it.`);
  },
  remove(panel, button) {
    const name = button.closest('.box').dataset.of;
    setFile(panel, name, null);
    panel.boxes[name].text.focus();
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
    for (const [name, text] of Object.entries(JSON.parse(example))) { if (panel.boxes[name]) setFile(panel, name, null); panel.form.elements[name].value = text; }
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
  const file = Object.values(panel.files).find(({ text, bytes }) => text !== undefined || bytes);
  if (file) { notify(`A link cannot hold the file ${file.file}: send the file with the command below the results.`); return ''; }
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify({ version: page.dataset.version, values })));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (text.length > LONGEST) { notify(`The link would have ${counted(text.length)} characters, and programs pass on ${counted(LONGEST)}: share the files.`); return ''; }
  return `${location.origin}${location.pathname}${action === 'embed' ? '?embed' : ''}#${panel.name}=${text}`;
}
async function read(text) {
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), packed, 8e6)));
}
// The fields of a link of version 0.2 by their present names.
const FIELDS = { form: 'text_format', resamples: 'n_trials' };
function present(fields) {
  const values = {};
  for (const [name, value] of Object.entries(fields)) {
    const box = /^(name|prediction)_([A-J])(_column)?$/.exec(name);
    if (box) values[`prediction_${box[2].toLowerCase()}${box[1] === 'name' ? '.name' : box[3] ? '.column' : ''}`] = value;
    else if (name === 'intervals') values.confidence = value ? '0.95' : '';
    else if (name === 'baseline') values.baseline = fields[`name_${value}`] ?? value;
    else values[FIELDS[name] ?? name.replace(/_column$/, '.column')] = value === 'recognise' ? '' : value;
  }
  return values;
}
function restore(panel, { version = '0.2', values, fields }) {
  const given = values ?? present(fields);
  for (const name of Object.keys(panel.boxes)) setFile(panel, name, null);
  for (const field of panel.form.elements) {
    if (!field.name || field.type === 'file') continue;
    const value = String(given[field.name] ?? '');
    if (field.type === 'checkbox') field.checked = value.split(',').includes(field.value);
    else {
      if (field.matches('.column select')) field.replaceChildren(element('option', value));
      field.value = value;
    }
  }
  for (const [name, { box, text }] of Object.entries(panel.boxes)) {
    const file = given[`${name}.file`];
    if (file) setFile(panel, name, { file: String(file) }, String(file));
    fillColumns(panel, name, box);
    text.scrollTop = 0;
  }
  notify(`These are the texts and options of a link that was made with version ${version}; version ${page.dataset.version} computes the scores.`);
}

// ---- Tabs are anchors, and steps of the history.
async function openTab() {
  const [path, packed = path] = location.hash.slice(1).split('=', 2);
  const [name, question = ''] = path.split('/');
  let link = null;
  if (packed && !panels.has(packed.split('/')[0])) {
    try { link = await read(packed); } catch { notify('This link is damaged or was cut short: the page shows its example.'); }
  }
  const panel = panels.get(link?.tab ?? name) ?? panels.values().next().value;
  const field = panel.form.elements.question;
  if (field && field.value !== question) { field.value = question; panel.isAsked = false; }
  for (const tab of page.querySelectorAll('[role=tab]')) {
    const isThis = tab.hash === `#${panel.name}`;
    tab.setAttribute('aria-selected', String(isThis));
    tab.tabIndex = isThis ? 0 : -1;
  }
  for (const each of panels.values()) each.section.hidden = each !== panel;
  if (link?.values || link?.fields) restore(panel, link);
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

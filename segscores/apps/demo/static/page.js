// The page: fields → answer → results. Each tab is a form; its fields by name are all that the server gets.
const page = document.querySelector('.page');
const panels = new Map();
const panelOf = (node) => panels.get(node.closest('.panel').id);
const shown = []; // what other scripts do with new results: functions of a panel
const MOST_BYTES = 10_000_000;
const LONG = 200_000; // characters, beyond which a text is not shown in its box
const long = new WeakMap(); // such texts, by their textareas
const contentOf = (field) => long.get(field) ?? field.value;
function setText(field, text) {
  const isLong = text.length > LONG;
  if (isLong) long.set(field, text); else long.delete(field);
  field.value = isLong ? '' : text;
}

function makePanel(section) {
  const at = (selector) => section.querySelector(selector);
  const panel = { name: section.id, section, form: at('form'), results: at('.results'), problems: at('.problems'), boxes: {} };
  const { form, boxes } = panel;
  for (const box of section.querySelectorAll('.box')) {
    const [text, mirror, note, file, bytes] = ['textarea', '.mirror', '.note', '.chip input', '[type=hidden]'].map((part) => box.querySelector(part));
    boxes[box.dataset.of] = { box, text, mirror, note, file, bytes };
  }
  panel.sentence = panel.first = valuesOf(panel); // the first of a tab, to which one with questions comes back
  Object.assign(panel, { past: [], future: [], typed: -QUIET });
  try {
    const kept = JSON.parse(sessionStorage.getItem(panel.name));
    if (kept && !root.matches('.embedded')) fill(form.elements, kept);
  } catch { /* The browser keeps nothing. */ }
  form.addEventListener('input', ({ target }) => {
    if (target.type === 'file') return;
    target.closest('.box')?.classList.add('added'); // it stays while it is emptied
    panel.typed = performance.now();
    changed(panel);
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    // A button that is pressed stays until it is released.
    if (!panel.problems.contains(relatedTarget)) panel.tell?.();
  });
  form.addEventListener('paste', (event) => {
    const { target } = event;
    const text = event.clipboardData.getData('text');
    if (target.selectionEnd - target.selectionStart !== target.value.length) return;
    leaveExample(panel, [target], [text]);
    if (text.length <= LONG) return;
    // A browser that draws a long text does nothing else for many seconds.
    event.preventDefault();
    remember(panel);
    fill(target.closest('.box').querySelectorAll('[name]'), { [target.name]: text, [`${target.name}.file`]: 'pasted.txt' });
    changed(panel);
  });
  form.addEventListener('change', ({ target }) => {
    if (target.type !== 'file') return;
    openFiles(panel, target, [...target.files]);
    target.value = '';
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  // The tools of the lines: the server searches, and draws what is in view.
  panel.results.addEventListener('input', ({ target }) => {
    if (target.matches('.lines :is(.query, .order, .errors_only)')) view(panel, { [target.className]: target.type === 'checkbox' ? target.checked && 'yes' : target.value });
  });
  panel.results.addEventListener('submit', (event) => {
    event.preventDefault();
    const { value } = event.target.querySelector('.line') ?? {};
    if (value) goTo(panel, value);
  });
  section.addEventListener('toggle', ({ target }) => openSection(panel, target), true);
  form.addEventListener('scroll', ({ target }) => { if (target.matches('textarea')) target.previousElementSibling.scrollTop = target.scrollTop; }, true);
  section.addEventListener('click', (event) => {
    for (const [name, act] of Object.entries(actions)) {
      const button = event.target.closest(`[data-${name}]`);
      if (button?.href) event.preventDefault();
      if (button) act(panel, button.dataset[name], button);
    }
  });
  panels.set(panel.name, panel);
}

// The fields by name; of several with one name a list with commas, and nothing that is empty.
function valuesOf(panel) {
  const values = {};
  for (const [name, value] of new FormData(panel.form)) if (value) values[name] = name in values ? `${values[name]},${value}` : value;
  for (const [name, { text }] of Object.entries(panel.boxes)) if (long.has(text)) values[name] = long.get(text);
  return values;
}

// A link or an example may have scores without a box, such as what a tool prints.
const otherScores = (form, names) => names.split(',').filter((name) => !form.querySelector(`[type=checkbox][value="${CSS.escape(name)}"]`)).join();

// Sets fields to the values of their names, or to nothing.
function fill(fields, values) {
  for (const field of fields) {
    const value = String(values[field.name] ?? '');
    if (field.type === 'textarea') setText(field, value);
    else if (field.name === 'scores' && field.type === 'hidden') field.value = otherScores(field.form, value);
    else if (field.type === 'checkbox') field.checked = value.split(',').includes(field.value);
    else if (field.name) field.value = value;
  }
}
function changed(panel) {
  fit(panel);
  mark(panel);
  keep(panel);
  return update(panel);
}

// ---- Nothing is lost: what is replaced can be undone; the address has the fields up to its limit, and the tab of the browser all.
function remember(panel) {
  panel.past.push(valuesOf(panel));
  panel.future = [];
}
function goBack(panel, from = 'past', to = 'future') {
  const values = panel[from].pop();
  if (!values) return;
  panel[to].push(valuesOf(panel));
  fill(panel.form.elements, values);
  changed(panel);
}
addEventListener('keydown', (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z';
  // A field has an undo of its own.
  if (!isUndo || event.target.matches('textarea, input:not([type=checkbox], [type=range])')) return;
  event.preventDefault();
  const panel = panelOf(page.querySelector('.panel:not([hidden])'));
  if (event.shiftKey) goBack(panel, 'future', 'past'); else goBack(panel);
});
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function keep(panel) {
  if (root.matches('.embedded')) return;
  try {
    // A large text is in its file.
    if (hasFile(panel) || same(valuesOf(panel), panel.first)) sessionStorage.removeItem(panel.name);
    else sessionStorage.setItem(panel.name, JSON.stringify(valuesOf(panel)));
  } catch { /* The browser keeps nothing. */ }
  clearTimeout(panel.writes);
  panel.writes = setTimeout(writeAddress, 1500, panel);
}
// A browser takes no more than some changes of the address a second.
async function writeAddress(panel) {
  const [path, old] = location.hash.slice(1).split('=');
  const isElsewhere = () => panel.section.hidden || path.includes('/');
  if (isElsewhere()) return;
  const values = hasFile(panel) ? panel.first : valuesOf(panel);
  let hash = path || old ? `#${panel.name}` : '';
  if (!same(values, panel.first)) {
    const packed = await packedOf(panel);
    if (packed.length <= LONGEST) hash = `#${panel.name}=${packed}`;
  }
  if (!isElsewhere()) history.replaceState({ isOwn: true }, '', `${location.pathname}${location.search}${hash}`);
}
const hasFile = (panel) => Object.values(panel.boxes).some(isOutside);

// Texts of one's own that replace some of the example's leave the example: the other boxes wait, unless they have the same units.
function leaveExample({ boxes }, replaced, texts) {
  const unitsOf = (text) => text.replace(/\s/g, '');
  if (texts.some((text) => text.length > LONG)) texts = [];
  const own = Object.values(boxes).map(({ text }) => text);
  const others = own.filter((text) => !replaced.includes(text));
  const isExample = (field) => contentOf(field) === field.defaultValue && !texts.some((text) => unitsOf(text) === unitsOf(field.value));
  if (others.length < own.length && others.every(isExample)) for (const other of others) other.value = '';
}

// Options of score groups show while one of their groups, or what a tool prints, is chosen, and options of formats while a text has
// one of them; what differs from the example is counted.
function fit({ form, boxes, formats = [] }) {
  const isSeveral = 'prediction_b' in boxes && Object.values(boxes).slice(1).filter(isFilled).length > 1;
  form.classList.toggle('several', isSeveral);
  const chosen = [...form.querySelectorAll('[name=scores]:checked')].map(({ value }) => value);
  const isTool = Boolean(form.querySelector('[type=hidden][name=scores]')?.value);
  const hasOne = (names, known) => names === undefined || names.split(' ').some((name) => known.includes(name));
  for (const control of form.querySelectorAll('.control')) {
    const { dataset } = control;
    const isNeeded = (isTool || hasOne(dataset.for, chosen)) && hasOne(dataset.formats, formats) && (isSeveral || dataset.several === undefined);
    control.hidden = !isNeeded && !control.querySelector('input, select').value;
  }
  const isOther = (field) => (field.type === 'checkbox' ? field.checked !== field.defaultChecked : field.value !== '');
  const more = form.querySelector('.more summary');
  const count = more && [...form.querySelectorAll('.more [name]')].filter(isOther).length;
  if (more) more.dataset.changed = count ? `${count} changed` : '';
}

// ---- Asking: one request at a time; of those that wait, the last.
async function update(panel) {
  const turn = panel.turn = Symbol('turn');
  await panel.asked;
  if (panel.turn !== turn) return;
  const late = setTimeout(() => { panel.results.ariaBusy = 'true'; }, 400);
  panel.asked = ask(`answer/${panel.name}`, valuesOf(panel)).then((response) => response.json()).catch(offline);
  show(panel, await panel.asked);
  clearTimeout(late);
  panel.results.ariaBusy = null;
}
async function ask(address, values) {
  const response = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) });
  if (!response.ok) throw Error(await response.text());
  return response;
}
const offline = (error) => ({ html: null, error: error instanceof TypeError ? 'No connection: these are the results of before.' : error.message });

// What a section of the results has is computed while it is open.
const sectionsOf = ({ form }) => new Set(form.elements.sections?.value.split(',').filter(Boolean));
function setSection(panel, section, isOpen) {
  const names = sectionsOf(panel);
  if (isOpen) names.add(section); else names.delete(section);
  panel.form.elements.sections.value = [...names].join();
  return update(panel);
}
async function openSection(panel, { dataset: { section }, open }) {
  if (!section || sectionsOf(panel).has(section) === open) return;
  await setSection(panel, section, open);
  if (!panel.form.contains(document.activeElement)) panel.results.querySelector(`[data-section="${section}"] summary`)?.focus({ preventScroll: true });
}

// Shows other lines. What is in view is asked for again with every key.
function view(panel, fields) {
  for (const [name, value] of Object.entries({ start: '', line: '', ...fields })) panel.form.elements[name].value = value || '';
  return update(panel);
}
async function goTo(panel, number) {
  await view(panel, { query: '', order: '', errors_only: '', line: number });
  const lines = panel.results.querySelector('.lines');
  panel.form.elements.line.value = '';
  panel.form.elements.start.value = lines.dataset.start;
  const item = [...lines.querySelectorAll('.utterances > li')].find((each) => each.querySelector('.place').textContent.replaceAll(',', '') === lines.dataset.target);
  if (!item) return;
  item.tabIndex = -1;
  item.focus({ preventScroll: true });
  item.parentElement.scrollTop = item.offsetTop;
  item.parentElement.scrollIntoView({ block: 'nearest' });
}

// While a visitor types, a problem waits: for two seconds without a key, or until the focus leaves.
const QUIET = 2000;
function show(panel, answer) {
  clearTimeout(panel.waits);
  panel.tell = undefined;
  const rest = panel.typed + QUIET - performance.now();
  // To ask for the element with the focus lays out the page: it is asked for where there is a problem alone.
  const isTyping = answer.html === null && rest > 0 && panel.form.contains(document.activeElement);
  panel.results.classList.toggle('waiting', isTyping);
  if (!isTyping) { tell(panel, answer); return; }
  panel.tell = () => {
    clearTimeout(panel.waits);
    panel.tell = undefined;
    panel.results.classList.remove('waiting');
    tell(panel, answer);
  };
  panel.waits = setTimeout(panel.tell, rest);
}
function tell(panel, { html, problem = '', notes = {}, columns = {}, formats = [], error }) {
  const { problems, results } = panel;
  // Texts that cannot be read have no formats: the controls of the last ones stay.
  if (html || formats.length) Object.assign(panel, { formats });
  problems.innerHTML = problem;
  if (error) problems.append(element('p', error, 'problem'));
  results.classList.toggle('stale', html === null && results.hasChildNodes());
  for (const [name, { note }] of Object.entries(panel.boxes)) {
    Object.assign(note, { textContent: notes[name] ?? '', hidden: name !== 'reference' && notes[name] === notes.reference });
  }
  fit(panel);
  panel.columns = html === null ? { ...panel.columns, ...columns } : columns;
  for (const [name, names] of Object.entries(columns)) {
    panel.boxes[name]?.box.querySelector('datalist').replaceChildren(...names.map((value) => Object.assign(document.createElement('option'), { value })));
  }
  mark(panel);
  if (html === null) return;
  // What a visitor chose in the results stays, and so does the focus, also if another answer comes in between.
  const chosen = () => [...results.querySelectorAll('details:not([data-section]), .tools :is(input, select)')];
  const nameOf = (each) => [each.tagName, each.className, each.closest('[data-table]')?.dataset.table, each.querySelector('summary')?.textContent].join();
  const focused = results.contains(document.activeElement) ? nameOf(document.activeElement) : '';
  const kept = new Map(chosen().map((each) => [nameOf(each), { open: each.open, value: each.value, checked: each.checked }]));
  draw(panel, html);
  for (const each of chosen()) Object.assign(each, kept.get(nameOf(each)));
  if (focused) chosen().find((each) => nameOf(each) === focused)?.focus({ preventScroll: true });
  startTables(results);
  for (const part of shown) part(panel);
}

// What is as before stays in the page: to lay out and paint everything takes longer than to score it.
function draw(panel, html) {
  const { results } = panel;
  const drawn = document.createElement('template');
  // The policy allows no style in the markup, only one that the script sets.
  drawn.innerHTML = html.replaceAll(' style="', ' data-style="');
  if (panel.drawn && haveAsManyChildren(results, panel.drawn.content, drawn.content)) patchAll(results, panel.drawn.content, drawn.content);
  else results.replaceChildren(...[...drawn.content.childNodes].map(made));
  panel.drawn = drawn;
}
function made(node) {
  const copy = document.importNode(node, true);
  for (const each of [copy, ...(copy.querySelectorAll?.('[data-style]') ?? [])]) if (each.dataset?.style) each.style.cssText = each.dataset.style;
  return copy;
}
// A word of the table of wrong words shows the lines that have it; the tools above the lines show what is asked for.
shown.push(({ form, results }) => {
  for (const cell of results.querySelectorAll('[id^=words-table] tbody th:not(:has(button))')) {
    const button = Object.assign(element('button', ''), { type: 'button', title: 'Show the lines with this word' });
    button.dataset.find = '';
    button.append(...cell.childNodes);
    cell.append(button);
  }
  for (const field of results.querySelectorAll('.lines :is(.query, .order, .errors_only)')) {
    const { value } = form.elements[field.className];
    if (field.type === 'checkbox') field.checked = value !== '';
    else if (field !== document.activeElement) field.value = value;
  }
});
// Makes a node of the page, which was drawn from `old`, as `now` is. What a script has changed is drawn anew.
function patch(node, old, now) {
  if (old.isEqualNode(now)) return;
  const isSame = node.nodeName === now.nodeName && node.nodeName === old.nodeName && haveAsManyChildren(node, old, now)
    && !node.matches?.('[data-open], .sortable, .deep, .lesson');
  if (!isSame) { node.replaceWith(made(now)); return; }
  if (node.nodeType === Node.TEXT_NODE) { node.data = now.data; return; }
  for (const name of new Set([...old.getAttributeNames(), ...now.getAttributeNames()])) {
    const value = now.getAttribute(name);
    if (value === old.getAttribute(name)) continue;
    if (value === null) node.removeAttribute(name); else node.setAttribute(name, value);
    if (name === 'data-style') node.style.cssText = value;
  }
  patchAll(node, old, now);
}
const haveAsManyChildren = (...nodes) => new Set(nodes.map(({ childNodes }) => childNodes.length)).size === 1;
function patchAll(node, old, now) {
  const nodes = [...node.childNodes];
  nodes.forEach((each, index) => patch(each, old.childNodes[index], now.childNodes[index]));
}

// ---- Boxes: behind each stands its text once more, with line numbers and the place of an error.
const roleOf = (name) => ['reference', 'prediction'].find((role) => ROLES[role].test(name));
const ROLES = {
  reference: /(^|[^a-z])(gold|ref|reference|truth|test)([^a-z]|$)/i,
  prediction: /(^|[^a-z])(pred|prediction|predictions|hyp|hypothesis|system|output)([^a-z]|$)/i,
};
const isOutside = ({ text, bytes }) => bytes.value !== '' || long.has(text);
const isFilled = (each) => isOutside(each) || each.text.value !== '';
function mark(panel) {
  for (const [name, each] of Object.entries(panel.boxes)) {
    const { box, text, mirror } = each;
    box.querySelector('.column').hidden = !contentOf(text).trimStart().startsWith('{') && !panel.columns?.[name]?.length;
    const isHidden = box.querySelector('.editor').hidden = isOutside(each);
    // Of more predictions than one, those that have a text.
    box.hidden = /_[b-z]$/.test(name) && !isFilled(each) && !box.matches('.added');
    const place = placeIn(panel, name);
    const now = JSON.stringify([isHidden || text.value, place]);
    if (mirror.now === now) continue; // a pasted text has an event for each of its lines
    mirror.now = now;
    const lines = isHidden ? [] : text.value.split('\n').slice(0, 2000);
    // What is as before stays: to lay out a long text takes longer than to score it.
    const old = [...mirror.children];
    for (const [number, line] of lines.entries()) {
      const isPlace = place?.line === number;
      if (!isPlace && old[number]?.childElementCount === 0 && old[number].textContent === (line || '\u200b')) continue;
      const made = element('span', '', 'line');
      if (isPlace) made.append(line.slice(0, place.start), element('mark', line.slice(place.start, place.end) || ' '), line.slice(place.end));
      else made.append(line || '\u200b');
      if (old[number]) old[number].replaceWith(made); else mirror.append(made);
    }
    for (const surplus of old.slice(lines.length)) surplus.remove();
    // Not now: to ask for the place lays out the page.
    requestAnimationFrame(() => { mirror.scrollTop = text.scrollTop; });
  }
  const swap = panel.form.querySelector('[data-swap]');
  if (swap) {
    swap.hidden = panel.form.matches('.several') || !['reference', 'prediction'].every((name) => isFilled(panel.boxes[name]));
    panel.form.querySelector('[data-add]').hidden = nextBox(panel) === undefined;
  }
  const lower = panel.form.querySelector('[data-lower]');
  if (lower) lower.hidden = !Object.values(panel.boxes).some(({ text }) => /[\p{Lu}\p{Lt}]/u.test(contentOf(text)));
  const undo = panel.form.querySelector('[data-undo]');
  if (undo) undo.disabled = panel.past.length === 0;
  const wrong = [...panel.problems.querySelectorAll('[data-at], [data-box]')].map(({ dataset }) => dataset.at ?? dataset.box);
  for (const field of panel.form.elements) if (field.name) field.ariaInvalid = String(wrong.includes(field.name));
}
// The next box for a prediction.
const nextBox = ({ boxes }) => Object.values(boxes).slice(1).find(({ box, ...each }) => box.hidden || !isFilled(each));
function placeIn(panel, name) {
  const button = panel.problems.querySelector(`button[data-box="${name}"]`);
  return button && { line: Number(button.dataset.line), start: Number(button.dataset.start), end: Number(button.dataset.end) };
}

// The boxes of files, which are put into their order. A file is the reference by its name, or by where it is dropped.
function boxesFor(panel, at, files) {
  const boxes = Object.entries(panel.boxes);
  const roles = files.map(({ name }) => roleOf(name));
  let first = boxes.findIndex(([, { box }]) => box.contains(at));
  const isAdded = panel.name === 'desk' && first < 0 && !isExample(panel) && !roles.includes('reference') && isFilled(boxes[0][1]);
  // One that is dropped beside the boxes is added to what is there.
  if (isAdded) return boxes.slice(1).filter(([, each]) => !isFilled(each)).slice(0, files.length);
  if (first < 0) first = files.length === 1 && roles[0] === 'prediction' ? 1 : 0;
  if (first === 0 && boxes[1]?.[0] === 'prediction') {
    const others = roles.filter((role) => role !== 'prediction').length;
    const reference = roles.includes('reference') ? roles.indexOf('reference') : roles.findIndex((role) => others === 1 && role === undefined);
    if (reference > 0) files.unshift(...files.splice(reference, 1));
  }
  return boxes.slice(first, first + files.length);
}
const isExample = ({ boxes }) => Object.values(boxes).every((each) => !isOutside(each) && each.text.value === each.text.defaultValue);

// ---- Files are read in the browser; what is no plain UTF-8 goes to the server as it is.
async function openFiles(panel, at, files) {
  const large = files.find(({ size }) => size > MOST_BYTES);
  if (large) {
    const error = `${large.name}, ${counted(large.size)} bytes: this page takes ${counted(MOST_BYTES)}. The command reads it: ${panel.form.dataset.command}`;
    show(panel, { html: null, error });
    return;
  }
  remember(panel);
  // The tab of one sentence takes no files.
  if (panel.name === 'try') {
    const desk = panels.get('desk');
    location.hash = '#desk';
    remember(desk);
    fill(desk.form.querySelectorAll('.box [name]'), {});
    await openFiles(desk, desk.form, files);
    return;
  }
  const boxes = Object.entries(panel.boxes);
  const opened = boxesFor(panel, at, files);
  const left = files.slice(opened.length);
  if (left.length) notify(`There is no box for ${left.map(({ name }) => name).join(', ')}.`);
  if (panel.name === 'desk' && files.length > 1 && opened[0][0] === 'reference') fill(boxes.slice(1).flatMap(([, { box }]) => [...box.querySelectorAll('[name]')]), {});
  for (const [index, [name, { box }]] of opened.entries()) {
    const file = files[index];
    const bytes = new Uint8Array(await file.arrayBuffer());
    const values = { [`${name}.file`]: file.name, [`${name}.name`]: file.name };
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
      if (text.includes('\0')) throw Error('no text');
      values[name] = text.replace(/\n$/, '');
    } catch { values[`${name}.bytes`] = await toBase64(bytes); }
    fill(box.querySelectorAll('[name]'), values);
  }
  leaveExample(panel, opened.map(([, { text }]) => text), opened.map(([, { text }]) => contentOf(text)));
  changed(panel);
}
function toBase64(bytes) {
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([bytes]));
  return new Promise((resolve) => { reader.onload = () => resolve(reader.result.split(',')[1]); });
}
// A file that is dropped beside the boxes would replace the page.
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  const files = [...event.dataTransfer.files];
  if (!files.length) return;
  event.preventDefault();
  openFiles(panelOf(page.querySelector('.panel:not([hidden])')), event.target, files);
});

// ---- Buttons: what one does is named by an attribute data-ACTION, whose value it gets.
const actions = {
  add(panel) {
    const { box, text } = nextBox(panel);
    box.classList.add('added');
    mark(panel);
    text.focus();
  },
  remove(panel, name) {
    const { box } = panel.boxes[name];
    remember(panel);
    box.classList.remove('added');
    fill(box.querySelectorAll('[name]'), {});
    changed(panel);
    panel.form.querySelector('[data-add]').focus();
  },
  // A score is added to the board, or taken from it.
  group(panel, name) {
    const field = panel.form.querySelector(`[name=scores][value=${name}]`);
    field.checked = !field.checked;
    return changed(panel);
  },
  undo(panel) { goBack(panel); },
  swap(panel) {
    remember(panel);
    const values = {};
    for (const [name, value] of Object.entries(valuesOf(panel))) {
      const [side, part] = name.split(/(?=\.)/);
      const other = { reference: 'prediction', prediction: 'reference' }[side];
      if (other) values[`${other}${part ?? ''}`] = value;
    }
    fill(panel.form.querySelectorAll('.box [name]'), values);
    changed(panel);
  },
  async clear(panel) {
    remember(panel);
    for (const { box } of Object.values(panel.boxes)) box.classList.remove('added');
    fill(panel.form.querySelectorAll('.box [name]'), {});
    // After the results of what was asked before.
    await changed(panel);
    panel.results.replaceChildren();
    panel.drawn = undefined;
  },
  lower(panel) {
    remember(panel);
    for (const { text, file, bytes } of Object.values(panel.boxes)) {
      setText(text, contentOf(text).toLowerCase());
      if (bytes.value) notify(`${file.value} keeps its case: it is packed, so this page cannot change it.`);
    }
    changed(panel);
  },
  example(panel, texts) {
    const values = JSON.parse(texts);
    remember(panel);
    for (const { box } of Object.values(panel.boxes)) box.classList.remove('added');
    const isOfTools = ({ name }) => ['query', 'order', 'errors_only', 'start'].includes(name);
    fill([...panel.form.elements].filter((field) => field.closest('.box') || field.name in values || isOfTools(field)), values);
    for (const { text } of Object.values(panel.boxes)) text.defaultValue = text.value;
    changed(panel);
  },
  async page(panel, by, button) {
    if (button.ariaDisabled === 'true') return;
    await view(panel, { start: Number(panel.results.querySelector('.lines').dataset.start) + Number(by) });
    panel.results.querySelector('.lines .utterances').scrollTop = 0;
  },
  async find(panel, _, button) {
    await view(panel, { query: button.textContent.replace(/^◌/u, '') });
    panel.results.querySelector('.lines').scrollIntoView({ block: 'nearest' });
  },
  go(panel, number) { goTo(panel, number); },
  async set(panel, setting) {
    const [, name, value] = setting.match(/^(.*?)=(.*)$/s);
    const field = panel.form.elements[name];
    if (field.value === value) return;
    remember(panel);
    field.value = value;
    await changed(panel);
    if (panel.form.contains(document.activeElement)) return;
    const at = panel.results.querySelector(`[data-set="${CSS.escape(setting)}"]`) ?? panel.results.querySelector(`[data-set^="${name}="]`);
    (at?.querySelector('button') ?? at)?.focus({ preventScroll: true });
  },
  box(panel, name) {
    const { text, mirror } = panel.boxes[name];
    const { line, start, end } = placeIn(panel, name);
    const from = text.value.split('\n').slice(0, line).join('\n').length + (line > 0);
    text.focus();
    text.setSelectionRange(from + start, from + Math.max(end, start));
    text.scrollTop = (mirror.children[line]?.offsetTop ?? 0) - text.clientHeight / 2;
  },
  async link(panel, query, button) {
    const link = await linkOf(panel, query);
    if (!link) return;
    // As high as the drawing is, also where it is as narrow as a phone.
    const { results } = panel;
    const heightOf = () => 90 + ['.headline', '.drawing'].reduce((sum, part) => sum + (results.querySelector(part)?.offsetHeight ?? 0), 0);
    const wide = heightOf();
    results.style.width = '300px';
    const height = Math.max(wide, heightOf());
    results.style.width = '';
    copy(button, query ? `<iframe src="${link}" title="Segmentation scores" width="720" height="${height}" style="max-width: 100%" loading="lazy"></iframe>` : link);
  },
  print() { window.print(); },
  async export(panel, form, button) {
    try {
      const response = await ask(`export/${panel.name}/${form}`, valuesOf(panel));
      save(await response.blob(), form === 'html' ? 'report.html' : `segmentation_scores.${form}`);
    } catch (error) { button.after(element('span', ` ${offline(error).error}`, 'problem')); }
  },
  copy(panel, _, button) { copy(button, button.parentElement.querySelector('pre, code').textContent); },
};
async function copy(button, text) {
  try { await navigator.clipboard.writeText(text); } catch {
    // Without https there is no clipboard, but what is copied can be set.
    addEventListener('copy', (event) => { event.preventDefault(); event.clipboardData.setData('text/plain', text); }, { once: true });
    document.execCommand('copy');
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
async function packedOf(panel) {
  const fields = new TextEncoder().encode(JSON.stringify({ version: page.dataset.version, values: valuesOf(panel), light: panel.kept }));
  const packed = await toBase64(await through(new CompressionStream('deflate-raw'), fields));
  return packed.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
function notify(text) {
  Object.assign(page.querySelector('.notice'), { textContent: text, hidden: false });
}
const through = async (stream, bytes) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
async function linkOf(panel, query) {
  const values = valuesOf(panel);
  if (values.question && !panel.results.querySelector('.challenge')) return `${location.origin}${location.pathname}${query}#${panel.name}/${values.question}`;
  const outside = Object.values(panel.boxes).find(isOutside);
  if (outside) { notify(`A link cannot hold the file ${outside.file.value}: send the file with the command below the results.`); return ''; }
  const text = await packedOf(panel);
  if (text.length > LONGEST) { notify(`The link would have ${counted(text.length)} characters, and programs pass on ${counted(LONGEST)}: share the files.`); return ''; }
  return `${location.origin}${location.pathname}${query}#${panel.name}=${text}`;
}
async function read(text) {
  if (text.length > LONGEST) throw Error('too long');
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), packed)));
}

// ---- Tabs are addresses: #NAME, #NAME/QUESTION, or #NAME=TEXTS.
const OLD_NAMES = ['score', 'compare']; // of the tabs that the desk has become
async function openTab() {
  page.querySelector('.notice').hidden = true;
  const [path, packed = ''] = location.hash.slice(1).split('=', 2);
  const [address, question = ''] = path.split('/');
  const name = OLD_NAMES.includes(address) ? 'desk' : address;
  const link = packed && await read(packed).catch(() => notify('This link is damaged or was cut short: the page shows its example.'));
  const panel = panels.get(name) ?? panels.get(root.matches('.embedded') ? 'desk' : 'try');
  const asked = panel.form.elements.question;
  const isOther = asked !== undefined && asked.value !== question;
  if (isOther) {
    if (!asked.value) panel.sentence = valuesOf(panel);
    asked.value = question;
    panel.form.elements.guess.value = '';
    // A challenge begins with its own sentence; the visitor's comes back after it.
    const { start } = panel.form.querySelector(`.questions [href="#${panel.name}/${CSS.escape(question)}"]`)?.dataset ?? {};
    const texts = question ? start && JSON.parse(start) : panel.sentence;
    if (texts) fill(panel.form.querySelectorAll('.box [name]'), texts);
  }
  const more = page.querySelector('.others');
  more.open = false;
  for (const tab of page.querySelectorAll('.tabs a')) {
    tab.ariaCurrent = tab.hash === `#${panel.name}` ? 'page' : null;
    if (tab.ariaCurrent) more.querySelector('summary').textContent = more.contains(tab) ? tab.textContent : 'More';
  }
  more.classList.toggle('current', more.querySelector('[aria-current]') !== null);
  for (const each of panels.values()) each.section.hidden = each !== panel;
  // A Space is a frame of huggingface.co, which shows the anchor in its own address.
  if (window.parent !== window && !root.matches('.embedded')) window.parent.postMessage({ hash: location.hash }, 'https://huggingface.co');
  // The texts of this tab of the browser are there already.
  const isOwn = history.state?.isOwn && sessionStorage.getItem(panel.name) !== null;
  if (link?.values) panel.kept = link.light && CSS.escape(link.light); // the number that is lit
  if (link?.values && !isOwn) {
    remember(panel);
    // The first prediction of several had a letter too.
    const values = Object.fromEntries(Object.entries(link.values).map(([key, value]) => [key.replace(/^prediction_a(?=$|\.)/, 'prediction'), value]));
    fill(panel.form.elements, values);
    const versions = link.version === page.dataset.version ? '' : ` made with version ${link.version}; version ${page.dataset.version} computes the scores`;
    notify(`These are the texts and options of a link${versions}.`);
  }
  if (address === 'compare' && !link && isExample(panel)) panel.form.querySelector('[data-example]:last-child').click();
  if (root.matches('.embedded')) page.querySelector('.open').href = `${location.pathname}${location.hash}`;
  fit(panel);
  mark(panel);
  keep(panel);
  if (link || isOther || !panel.asked) await update(panel);
  if (link?.values && !isOwn && panel.results.getBoundingClientRect().top > innerHeight / 2) panel.results.scrollIntoView();
}

root.classList.toggle('embedded', new URLSearchParams(location.search).has('embed'));
for (const section of page.querySelectorAll('.panel')) makePanel(section);
addEventListener('hashchange', openTab);
// After the other scripts.
addEventListener('DOMContentLoaded', openTab);

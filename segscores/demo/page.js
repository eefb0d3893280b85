// The state of the page, and the start of computations. Nothing here leaves the browser: a link holds the fields of a tab after
// its # (JSON, deflated, in base64url), which browsers do not send, and sessionStorage keeps the inputs until the tab is closed.
window.segscores = {
  // The style of the results, for a downloaded page of results.
  style: '',
  // For each tab its fields by name, in the order of the inputs, with the limits of their values; the page fills them in.
  fields: {},
  // The values of the fields at first, the size up to which texts are scored as they are typed, and the longest link.
  first: {}, live: 50000, longest: 60000, key: 'segscores',
  // For each tab: the current values, the sent values, the values of the results on the page, and the values from a link.
  now: {}, sentValues: {}, scored: {}, brought: {}, running: {}, again: {}, timers: {}, states: {},
  // For each tab: whether its report is being made, and what the page says of it.
  reporting: {}, reportState: {},
  // Whether the values from a link or from this browser tab were put into the page; gradio opens its first tab before that.
  ready: false,

  // ---- From inputs to results.
  changed(tab, values) {
    if (!this.ready) return;
    this.now[tab] = values;
    this.keep();
    this.schedule(tab);
  },
  schedule(tab) {
    clearTimeout(this.timers[tab]);
    // The values that were scored last, or are being scored.
    const values = this.running[tab] ? this.sentValues[tab] : this.scored[tab];
    if (this.same(this.now[tab], values)) { this.again[tab] = false; return this.say(tab, this.running[tab] ? 'running' : ''); }
    const size = this.now[tab].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
    if (size > this.live) return this.say(tab, 'stale', 'Inputs changed: press the button or Ctrl+Enter.');
    this.say(tab, 'pending');
    this.timers[tab] = setTimeout(() => this.run(tab), 120);
  },
  run(tab) {
    clearTimeout(this.timers[tab]);
    if (this.running[tab]) { this.again[tab] = true; return; }
    document.getElementById('go-' + tab)?.click();
  },
  // Runs just before the values go to the server, because the components may not have the values from a link yet.
  sent(tab, values) {
    if (this.brought[tab]) { values = this.brought[tab]; delete this.brought[tab]; }
    this.running[tab] = true;
    this.sentValues[tab] = this.now[tab] = values;
    this.say(tab, 'running');
    this.keep();
    return values;
  },
  done(tab) {
    this.running[tab] = false;
    this.scored[tab] = this.sentValues[tab];
    if (!this.reporting[tab]) this.reportState[tab] = '';
    this.describe(tab);
    if (this.again[tab]) { this.again[tab] = false; return this.run(tab); }
    this.schedule(tab);
  },
  failed(tab) {
    this.running[tab] = this.again[tab] = false;
    this.say(tab, 'stale', 'No answer: the demo is busy, or the connection was lost. Press the button again.');
  },
  opened(tab, values) {
    if (!this.ready) return;
    this.now[tab] ??= values;
    this.keep(tab);
    if (!this.scored[tab]) this.whenThere(tab, () => this.run(tab));
  },
  // Runs before a file is opened: results on their way would replace what the page says of the file. The first results of a tab
  // are on their way from its opening.
  async opening(tab, file) {
    for (let left = 200; left && this.states[tab] === undefined; left--) await new Promise((done) => setTimeout(done, 50));
    await this.settled(tab, 10000);
    return file;
  },
  // Runs when a file was opened in a box: an example in another box no longer fits it. An unreadable file changes nothing.
  filled(tab, box, values, problem) {
    if (problem) { this.describe(tab); return values; }
    const names = Object.keys(this.fields[tab]);
    const isExample = (name, index) => name !== box && name + '_file' in this.fields[tab] && values[index] === this.first[tab][index];
    const emptied = values.map((value, index) => isExample(names[index], index) ? '' : value);
    this.now[tab] = this.brought[tab] = emptied;
    this.keep();
    this.run(tab);
    return emptied;
  },
  say(tab, state, words = '') {
    const line = document.getElementById('state-' + tab), panel = this.panel(tab);
    if (!panel) return;
    panel.dataset.state = this.states[tab] = state;
    const told = line.querySelector('p') ?? line.appendChild(document.createElement('p'));
    told.setAttribute('role', 'status');
    told.textContent = words;
  },
  panel(tab) { return document.getElementById('state-' + tab)?.closest('[role=tabpanel]'); },
  // Ties each field to the line below it, for screen readers.
  describe(tab) {
    const panel = this.panel(tab);
    requestAnimationFrame(() => this.showReport(tab));
    requestAnimationFrame(() => panel?.querySelectorAll('.text-box').forEach((box, index) => {
      const field = box.querySelector('textarea'), note = box.querySelector('.note');
      if (!field) return;
      if (note) note.id = `note-${tab}-${index}`;
      field.setAttribute('aria-invalid', String(Boolean(note?.classList.contains('problem'))));
      if (note) field.setAttribute('aria-describedby', note.id); else field.removeAttribute('aria-describedby');
    }));
  },
  // Puts a pair of texts into the first tab.
  example([reference, prediction], values) {
    const fresh = {reference, reference_file: null, prediction, prediction_file: null, form: 'recognise', word_boundary: '',
      ignored_tokens: '', search: '', line: ''};
    this.brought.score = Object.keys(this.fields.score).map((name, index) => name in fresh ? fresh[name] : values[index]);
    this.now.score = this.brought.score;
    this.whenThere('score', () => this.run('score'));
    const shown = {__type__: 'update', visible: true}, hidden = {__type__: 'update', visible: false};
    return [{...shown, value: reference}, null, hidden, hidden, {...shown, value: prediction}, null, hidden, hidden, 'recognise', '', '', '', ''];
  },
  // Elements wider than the page can be scrolled with the keyboard too; the Markdown of the card can't specify this.
  reach(left = 3600) {
    const wide = document.querySelectorAll('.card-text :is(pre, table)');
    wide.forEach((element) => { element.tabIndex = 0; });
    if (!wide.length && left) requestAnimationFrame(() => this.reach(left - 1));
  },
  show(label) { [...document.querySelectorAll('button[role=tab]')].find((tab) => tab.textContent.trim() === label)?.click(); },
  // Opens the metric card at its heading Citation, once the tab is drawn.
  cite(left = 600) {
    if (left === 600) this.show('About');
    const heading = [...document.querySelectorAll('.card-text h2')].find((found) => found.textContent.trim() === 'Citation');
    if (heading?.offsetParent) heading.scrollIntoView();
    else if (left) requestAnimationFrame(() => this.cite(left - 1));
  },
  same(left, right) { return JSON.stringify(left) === JSON.stringify(right); },

  // ---- A self-contained page of the results in the colours of the tab, for a colleague or an archive.
  download(button) {
    const panel = button.closest('[role=tabpanel]'), computed = getComputedStyle(panel), page = document.implementation.createHTMLDocument('');
    const add = (tag, text, parent = page.body) => Object.assign(parent.appendChild(page.createElement(tag)), {textContent: text});
    const title = document.title + ': ' + this.labels[this.open()];
    page.documentElement.lang = 'en';
    page.title = title;
    page.head.prepend(Object.assign(page.createElement('meta'), {name: 'viewport', content: 'width=device-width, initial-scale=1'}));
    const charset = page.createElement('meta');
    charset.setAttribute('charset', 'utf-8');
    page.head.prepend(charset);
    const names = [...new Set(this.style.match(/--[a-z-]+/g))].filter((name) => computed.getPropertyValue(name));
    const colours = names.map((name) => `${name}: ${computed.getPropertyValue(name)};`).join(' ');
    add('style', `:root { ${colours} } body { max-width: 75rem; margin: 1.5rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; `
      + `background: var(--body-background-fill); color: var(--body-text-color); } ${this.style}`, page.head);
    page.body.className = document.body.classList.contains('dark') ? 'dark' : '';
    add('h1', title);
    for (const box of panel.querySelectorAll('.text-box:has(.note)'))
      add('p', [box.querySelector('label span, .file-chip strong').textContent.trim(), box.querySelector('.note').textContent].join(': '));
    for (const part of panel.querySelectorAll('.results')) {
      if (part.contains(button) || part.querySelector('.results')) continue;
      const copy = page.body.appendChild(page.createElement('div'));
      copy.className = 'results';
      copy.innerHTML = part.innerHTML;
    }
    for (const line of panel.querySelectorAll('.copyable pre')) {
      const copy = Object.assign(page.body.appendChild(page.createElement('div')), {className: 'results'});
      add('h2', line.parentElement.querySelector('h3').textContent, copy);
      add('pre', line.textContent, copy);
    }
    this.save(button.dataset.stem + '.html', '<!doctype html>\n', page.documentElement.outerHTML);
  },
  save(name, ...parts) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts, {type: 'text/html'}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  },

  // ---- The report, which the server writes when a visitor asks for it, and does not keep.
  async report(tab = this.open()) {
    if (this.reporting[tab]) return;
    this.showReport(tab, true, 'Writing the report …');
    await this.settled(tab, Infinity);
    // The results may have become an error, which has no report.
    if (this.panel(tab).querySelector('button.report')) document.getElementById('report-' + tab).click();
    else this.showReport(tab, false);
  },
  // The inputs of the results on the page, even if the inputs have changed since.
  reportable(tab, values) { return this.scored[tab] ?? values; },
  async reported(tab, page) {
    if (page) {
      const bytes = Uint8Array.from(atob(page), (character) => character.charCodeAt(0));
      this.save('segmentation_report.html', await this.pass(bytes, new DecompressionStream('gzip')));
    } else requestAnimationFrame(() => this.panel(tab).querySelector('[role=alert]')?.scrollIntoView({block: 'center'}));
    this.showReport(tab, false, page ? 'The report is downloaded.' : '');
  },
  unreported(tab) {
    this.showReport(tab, false, 'No report: the demo is busy, or the connection was lost. Press the button again.');
  },
  // Shows on the button whether the report is being written; new results come with a new button.
  showReport(tab, isBusy = this.reporting[tab], words = this.reportState[tab]) {
    this.reporting[tab] = isBusy;
    this.reportState[tab] = words;
    const panel = this.panel(tab), button = panel?.querySelector('button.report');
    if (!button) return;
    // A disabled button would lose the focus.
    button.setAttribute('aria-disabled', String(Boolean(isBusy)));
    panel.querySelector('.report-state').textContent = words ?? '';
  },
  // Waits while results are on their way: the visitor means those.
  async settled(tab, milliseconds) {
    const end = Date.now() + milliseconds;
    while (Date.now() < end && ['pending', 'running'].includes(this.states[tab])) await new Promise((done) => setTimeout(done, 50));
  },

  // ---- Links.
  async pass(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  },
  // A link to the values of the results on the page, even if the inputs have changed since.
  async link(tab) {
    await this.settled(tab, 10000);
    const values = this.scored[tab] ?? this.now[tab] ?? this.first[tab], fields = {};
    for (const [index, name] of Object.keys(this.fields[tab]).entries()) {
      if (name.endsWith('_file') && values[index])
        return `A link can't hold the file ${this.nameOf(values[index])}: send the file along with the command below the results.`;
      if (!name.endsWith('_file')) fields[name] = values[index];
    }
    const json = new TextEncoder().encode(JSON.stringify({tab, fields}));
    const packed = await this.pass(json, new CompressionStream('deflate-raw'));
    let binary = '';
    for (const byte of packed) binary += String.fromCharCode(byte);
    const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    if (code.length > this.longest)
      return `The link would have ${code.length} characters; programs accept up to ${this.longest}. Share the files instead.`;
    history.replaceState(null, '', '#' + code);
    this.keep();
    const link = location.href;
    try { await navigator.clipboard.writeText(link); } catch (error) { /* it stands in the box */ }
    return link;
  },
  nameOf(file) { return file.orig_name ?? String(file.path ?? file).split('/').pop(); },
  // The state in the address: null if there is no state, an Error if it can't be read.
  async read() {
    const code = location.hash.slice(1);
    if (!code) return null;
    if (code.length > this.longest) return new Error('it is too long');
    try {
      const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
      const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
      // A short link must not unpack to gigabytes.
      const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
      const chunks = [];
      for (let size = 0; ; ) {
        const {done, value} = await reader.read();
        if (done) break;
        size += value.length;
        if (size > 8e6) return new Error('it is too long');
        chunks.push(value);
      }
      const state = JSON.parse(await new Blob(chunks).text());
      if (state && Object.hasOwn(this.fields, state.tab) && state.fields && typeof state.fields === 'object') return state;
      return new Error('it names no tab of this page');
    } catch (error) { return new Error('it is damaged, or was cut short'); }
  },
  // Whether a field accepts the value from a link in place of its own.
  fits(given, known, {choices, least, most}) {
    if (typeof given !== typeof known || Array.isArray(given) !== Array.isArray(known)) return false;
    if (choices) return [given].flat().every((value) => choices.includes(value));
    return least === undefined || (given >= least && given <= most);
  },

  // ---- Inputs.
  keep(open = this.open()) {
    const state = {hash: location.hash, open, tabs: this.now};
    try { sessionStorage.setItem(this.key, JSON.stringify(state)); }
    catch (error) { sessionStorage.setItem(this.key, JSON.stringify({hash: location.hash, open, tabs: {}, lost: true})); }
  },
  open() {
    const shown = document.querySelector('button[role=tab][aria-selected=true]')?.textContent.trim();
    return Object.keys(this.fields).find((tab) => this.labels[tab] === shown);
  },
  kept() {
    try { return JSON.parse(sessionStorage.getItem(this.key)); } catch (error) { return null; }
  },
  // All values from a link or this browser tab, and a line on problems with them. `values` are those of the components.
  async restore(values, isNew) {
    const kept = this.kept(), link = await this.read(), names = Object.keys(this.fields);
    const isReload = kept && kept.hash === location.hash && !isNew;
    let notice = '', open = null, at = 0;
    const odd = [], lost = [];
    for (const tab of names) {
      const fields = Object.entries(this.fields[tab]), own = values.slice(at, at + fields.length);
      const source = isReload ? kept.tabs[tab] && Object.fromEntries(fields.map(([name], index) => [name, kept.tabs[tab][index]]))
        : link && !(link instanceof Error) && link.tab === tab ? link.fields : null;
      if (!isNew) this.first[tab] = own;
      let changed = false;
      for (const [index, [name, limits]] of fields.entries()) {
        if (!source || !Object.hasOwn(source, name)) continue;
        if (name.endsWith('_file')) { if (isReload && source[name]) lost.push(this.nameOf(source[name])); continue; }
        const given = source[name];
        if (given === own[index] || this.same(given, own[index])) continue;
        if (!this.fits(given, own[index], limits)) { if (given !== null && own[index] !== null) odd.push(name); continue; }
        own[index] = values[at + index] = given;
        changed = true;
      }
      if (source || !isNew) this.now[tab] = own;
      if (source && changed) { this.brought[tab] = own; delete this.scored[tab]; }
      at += fields.length;
    }
    if (isReload) {
      open = kept.open;
      if (lost.length) notice = `Open the file ${lost.join(', ')} again: a reload does not keep files.`;
      if (kept.lost) notice = 'Your text was too long for this browser to keep. The page shows the example instead.';
    } else if (link instanceof Error) {
      notice = `This link can't be read: ${link.message}. The page shows the example instead.`;
    } else if (link) {
      open = link.tab;
      if (odd.length) notice = `Parts of this link are invalid here and were ignored: ${odd.join(', ').slice(0, 200)}.`;
    }
    this.ready = true;
    setTimeout(() => this.start(open), 60);
    return [...values, this.markup(notice)];
  },
  markup(notice) {
    if (!notice) return '';
    const line = document.createElement('p');
    line.className = 'notice';
    line.setAttribute('role', 'alert');
    line.textContent = notice;
    return line.outerHTML;
  },
  // Opens a tab and computes its results.
  start(open) {
    const tab = open && Object.hasOwn(this.fields, open) ? open : Object.keys(this.fields)[0];
    if (open && this.open() !== tab)
      [...document.querySelectorAll('button[role=tab]')].find((button) => button.textContent.trim() === this.labels[tab])?.click();
    this.whenThere(tab, () => {
      if (this.brought[tab] || !this.scored[tab]) this.run(tab); else this.describe(tab);
    });
  },
  whenThere(tab, act, left = 3600) {
    const button = document.getElementById('go-' + tab);
    if (button?.offsetParent) act();
    else if (left) requestAnimationFrame(() => this.whenThere(tab, act, left - 1));
  },
};
addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  const tab = window.segscores.open();
  if (tab) { event.preventDefault(); window.segscores.run(tab); }
}, true);
addEventListener('hashchange', () => document.getElementById('restore')?.click());
// A file that is dropped on a box is opened like one that is chosen.
addEventListener('dragover', (event) => { if (event.target.closest?.('.text-box')) event.preventDefault(); });
addEventListener('drop', (event) => {
  const input = event.target.closest?.('.text-box')?.querySelector('input[type=file]');
  if (!input || !event.dataTransfer.files.length) return;
  event.preventDefault();
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event('change', {bubbles: true}));
});

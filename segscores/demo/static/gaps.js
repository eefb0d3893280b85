// Gaps: a line of the drawing gets a button in each gap when a pointer or the focus reaches it. A button edits the text of the box
// that data-editable names; the scores follow from the box.
const numberOf = (item) => Number(item.querySelector('.place').textContent.replaceAll(',', '')) - 1;
const focusOf = new WeakMap();

function openLine(item) {
  if (item.dataset.open !== undefined || !item.closest('[data-editable]')) return;
  item.dataset.open = '';
  const line = item.querySelector('span[dir]');
  const number = numberOf(item) + 1;
  let gap = 0;
  for (const part of [...line.children]) {
    if (part.tagName === 'I') { part.replaceWith(gapButton(number, gap, part.textContent)); continue; }
    const letters = [...part.textContent.replace(/^◌/u, '')];
    part.replaceChildren(...letters.flatMap((letter, index) => {
      gap += 1;
      return index < letters.length - 1 ? [letter, gapButton(number, gap, '')] : [letter];
    }));
  }
  const first = line.querySelector('.gap');
  if (first) first.tabIndex = 0;
  item.append(Object.assign(element('button', 'SVG', 'picture'), { type: 'button', title: 'Save this line as a picture' }));
}
// A line as a picture for a paper: one text, in which boundaries are bold and coloured.
function pictureOf(item) {
  const space = 'http://www.w3.org/2000/svg';
  const make = (name, values, parent) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    parent?.append(made);
    return made;
  };
  const svg = make('svg', { xmlns: space, 'font-family': 'system-ui, sans-serif', 'font-size': 20 });
  const text = make('text', { x: 8, y: 28, 'xml:space': 'preserve' }, svg);
  const line = item.querySelector('span[dir]');
  for (const part of [...line.querySelectorAll('b, .gap')].flatMap((each) => each.matches('b') ? [...each.childNodes] : [each])) {
    const sign = part.dataset?.sign;
    if (sign === undefined) text.append(part.textContent);
    else if (sign) make('tspan', { fill: { '+': '#1d4fbf', '−': '#b3390b' }[sign] ?? '#666', 'font-weight': 700 }, text).append(` ${sign} `);
  }
  const width = 16 + [...text.textContent].reduce((sum, letter) => sum + (letter > '\u1100' ? 21 : 13), 0);
  for (const [key, value] of Object.entries({ width, height: 44, viewBox: `0 0 ${width} 44` })) svg.setAttribute(key, value);
  return new Blob([svg.outerHTML], { type: 'image/svg+xml' });
}
function gapButton(line, gap, sign) {
  const button = element('button', sign, `gap ${{ '+': 'missed', '−': 'wrong', '|': 'both' }[sign] ?? ''}`);
  const isCut = sign === '|' || sign === '−';
  const is = { '|': 'both have a boundary', '+': 'missed boundary', '−': 'wrong boundary', '': 'no boundary' }[sign];
  Object.assign(button, { type: 'button', tabIndex: -1 });
  Object.assign(button.dataset, { gap, sign });
  button.setAttribute('aria-label', `${isCut ? 'Join' : 'Cut'} after character ${gap} of line ${line}: ${is}`);
  return button;
}
// A space in the box appears or goes.
function toggleGap(panel, item, gap) {
  const { text } = panel.boxes[item.closest('[data-editable]').dataset.editable];
  const lines = text.value.split('\n');
  const line = numberOf(item);
  const at = [...lines[line].matchAll(/\S/gu)][gap - 1]; // the unit before the gap
  if (!at) return;
  const end = at.index + at[0].length;
  const rest = lines[line].slice(end);
  lines[line] = lines[line].slice(0, end) + (/^\s/.test(rest) ? rest.trimStart() : ` ${rest}`);
  text.value = lines.join('\n');
  focusOf.set(panel, { line, gap });
  changed(panel);
}
function focusGap(button) {
  if (!button) return;
  for (const other of button.closest('li').querySelectorAll('.gap')) other.tabIndex = -1;
  button.tabIndex = 0;
  button.focus({ preventScroll: true });
}
parts.results.push((panel) => {
  const focus = focusOf.get(panel);
  if (!focus) return;
  focusOf.delete(panel);
  const item = [...panel.results.querySelectorAll('.utterances > li')].find((each) => numberOf(each) === focus.line);
  if (!item) return;
  openLine(item);
  focusGap(item.querySelector(`[data-gap="${focus.gap}"]`));
});
const lineAt = (target) => target.closest?.('[data-editable] .utterances > li');
page.addEventListener('click', ({ target }) => {
  const item = lineAt(target);
  const gap = target.closest('.gap');
  if (gap) toggleGap(panels.get(gap.closest('[role=tabpanel]').id), item, Number(gap.dataset.gap));
  else if (item && !target.closest('.picture')) openLine(item);
});
page.addEventListener('pointerover', ({ target, pointerType }) => {
  const item = lineAt(target);
  // Of a tap, the click opens the line: else the same tap would press the gap that appears under it.
  if (!item || pointerType === 'touch') return;
  openLine(item);
  mark(panels.get(item.closest('[role=tabpanel]').id), numberOf(item));
});
page.addEventListener('pointerout', ({ target, relatedTarget }) => {
  const list = target.closest('.utterances');
  if (list && !list.contains(relatedTarget)) mark(panels.get(list.closest('[role=tabpanel]').id));
});
page.addEventListener('focusin', ({ target }) => {
  // The list is one tab stop; its lines open when it has the focus.
  if (target.matches('[data-editable] .utterances')) for (const item of target.children) openLine(item);
});
page.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || !event.target.matches('.gap')) return;
  event.preventDefault();
  const all = [...event.target.closest('li').querySelectorAll('.gap')];
  focusGap(all[(all.indexOf(event.target) + step + all.length) % all.length]);
});

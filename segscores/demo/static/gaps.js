// Gaps: a line of the drawing gets a button in each gap when a pointer or the focus reaches it. A button edits the text of the box
// that data-editable names; the scores follow from the box.
const KINDS = { '|': 'both have a boundary', '+': 'missed boundary', '−': 'wrong boundary', '': 'no boundary' };
const lineAt = (node) => node.closest('[data-editable] .utterances > li');
const numberOf = (item) => Number(item.querySelector('.place').textContent.replaceAll(',', '')) - 1;
const lettersOf = (part) => [...part.textContent.replace(/^◌/u, '')];
let pressed = null; // the gap that gets the focus again

function openLine(item) {
  if (item.dataset.open !== undefined) return;
  item.dataset.open = '';
  let gap = 0;
  for (const part of [...item.querySelector('span[dir]').children]) {
    if (part.tagName === 'I') { part.replaceWith(gapButton(item, gap, part.textContent)); continue; }
    const letters = lettersOf(part);
    part.replaceChildren(...letters.flatMap((letter, index) => {
      gap += 1;
      return index < letters.length - 1 ? [letter, gapButton(item, gap, '')] : [letter];
    }));
  }
  item.querySelector('.gap')?.setAttribute('tabindex', '0');
  for (const [form, label] of [['svg', 'SVG'], ['png', 'PNG'], ['tex', 'Copy LaTeX']]) {
    const button = Object.assign(element('button', label, 'picture'), { type: 'button', title: 'This line for a paper' });
    button.dataset.picture = form;
    item.append(button);
  }
}
function gapButton(item, gap, sign) {
  const button = Object.assign(element('button', sign, `gap ${KINDS[sign].split(' ')[0]}`), { type: 'button', tabIndex: -1 });
  Object.assign(button.dataset, { gap, sign });
  button.setAttribute('aria-label', `${sign === '|' || sign === '−' ? 'Join' : 'Cut'} after character ${gap} of line ${numberOf(item) + 1}: ${KINDS[sign]}`);
  return button;
}
// A space in the box appears or goes.
function toggleGap(panel, item, gap) {
  const { text } = panel.boxes[item.closest('[data-editable]').dataset.editable];
  const lines = text.value.split('\n');
  const line = numberOf(item);
  const at = [...lines[line].matchAll(/\S/gu)][gap - 1]; // the unit before the gap
  const end = at.index + at[0].length;
  const rest = lines[line].slice(end);
  lines[line] = lines[line].slice(0, end) + (/^\s/.test(rest) ? rest.trimStart() : ` ${rest}`);
  text.value = lines.join('\n');
  pressed = { panel, line, gap };
  changed(panel);
}
function focusGap(button) {
  for (const other of button.closest('li').querySelectorAll('.gap')) other.tabIndex = -1;
  button.tabIndex = 0;
  button.focus({ preventScroll: true });
}
shown.push((panel) => {
  if (pressed?.panel !== panel) return;
  const item = [...panel.results.querySelectorAll('.utterances > li')].find((each) => numberOf(each) === pressed.line);
  if (item) {
    openLine(item);
    focusGap(item.querySelector(`[data-gap="${pressed.gap}"]`));
  }
  pressed = null;
});

// A line for a paper: one text, in which boundaries are bold and coloured.
const TEX = { '|': '$\\mid$', '+': '$\\mathbf{+}$', '−': '$\\mathbf{-}$', '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\^{}' };
const COLOURS = { '|': '#666', '+': '#1d4fbf', '−': '#b3390b' };
actions.picture = async (panel, form, button) => {
  const item = lineAt(button);
  // The letters, and the signs of boundaries, which are buttons.
  const parts = [...item.querySelectorAll('b, .gap')].flatMap((each) => (each.matches('b') ? [...each.childNodes] : [each])).map(({ dataset, textContent }) => [textContent, Boolean(dataset)]);
  if (form === 'tex') { copy(button, parts.map(([text, isSign]) => (isSign ? text && ` ${TEX[text]} ` : text.replace(/[\\~^]/g, (each) => TEX[each]).replace(/[&%$#_{}]/g, '\\$&'))).join('')); return; }
  const make = (name, values, text) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    made.append(...text);
    return made;
  };
  const drawn = parts.map(([text, isSign]) => (isSign && text ? make('tspan', { fill: COLOURS[text], 'font-weight': 700 }, [` ${text} `]) : text));
  const width = 16 + [...parts.flat().filter((each) => each.length).join('')].reduce((sum, letter) => sum + (letter > '\u1100' ? 21 : 13), 0) + 13 * parts.filter(([, isSign]) => isSign).length;
  const svg = make('svg', { xmlns: 'http://www.w3.org/2000/svg', 'font-family': 'system-ui, sans-serif', 'font-size': 20, width, height: 44, viewBox: `0 0 ${width} 44` }, [make('text', { x: 8, y: 28, 'xml:space': 'preserve' }, drawn)]);
  const name = `line_${numberOf(item) + 1}`;
  const picture = new Blob([svg.outerHTML], { type: 'image/svg+xml' });
  if (form === 'svg') { save(picture, `${name}.svg`); return; }
  const image = Object.assign(new Image(), { src: URL.createObjectURL(picture) });
  await image.decode();
  const canvas = Object.assign(element('canvas', ''), { width: 4 * width, height: 176 });
  canvas.getContext('2d').drawImage(image, 0, 0, 4 * width, 176);
  canvas.toBlob((blob) => save(blob, `${name}.png`));
};

page.addEventListener('click', ({ target }) => {
  const item = lineAt(target);
  if (target.matches('.gap')) toggleGap(panelOf(target), item, Number(target.dataset.gap));
  else if (item) openLine(item);
});
page.addEventListener('pointerover', ({ target, pointerType }) => {
  const item = lineAt(target);
  // Of a tap, the click opens the line: else the same tap would press the gap that appears under it.
  if (!item || pointerType === 'touch') return;
  openLine(item);
  const segments = [...item.querySelectorAll('b')];
  const at = segments.indexOf(target.closest('b'));
  if (at >= 0) mark(panelOf(item), { line: numberOf(item), unit: segments.slice(0, at).flatMap(lettersOf).length });
});
page.addEventListener('pointerout', ({ target }) => { if (lineAt(target)) mark(panelOf(target)); });
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

// Gaps: a line of the drawing gets a button in each gap when a pointer or the focus reaches it. A button edits the text of the box
// that data-editable names; the scores follow from the box.
const KINDS = { '|': 'both have a boundary', '+': 'missed boundary', '−': 'wrong boundary', '': 'no boundary' };
const lineAt = (node) => node.closest('[data-editable] .utterances > li');
const numberOf = (item) => Number(item.querySelector('.place').textContent.replaceAll(',', '')) - 1;
// Letters that are joined to their neighbours keep their shapes if a joiner stands on both sides of a gap.
const isJoined = (letter) => /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u.test(letter);

function openLine(item) {
  if (item.dataset.open !== undefined) return;
  item.dataset.open = '';
  let gap = 0;
  for (const part of [...item.querySelector('span[dir]').children]) {
    if (part.tagName === 'I') { part.replaceWith(gapButton(item, gap, part.textContent)); continue; }
    const letters = [...textOf(part)];
    part.replaceChildren(...letters.flatMap((letter, index) => {
      gap += 1;
      const next = letters[index + 1];
      const joiner = isJoined(letter) && next && isJoined(next) ? '\u200d' : '';
      return next ? [letter + joiner, gapButton(item, gap, ''), joiner] : [letter];
    }));
  }
  item.querySelector('.gap')?.setAttribute('tabindex', '0');
  const note = element('span', '', 'pictures');
  item.lastElementChild.append(note);
  for (const [form, label, name, title] of [['tex', 'LaTeX', 'Copy LaTeX', 'This line for a paper'],
    ['cite', 'Cite', 'Cite this example', 'LaTeX of this line, with a link to this page']]) {
    const button = Object.assign(element('button', label, 'picture'), { type: 'button', title, ariaLabel: name });
    button.dataset.tex = form;
    note.append(' ', button);
  }
  explain(panelOf(item));
}
function gapButton(item, gap, sign) {
  const button = Object.assign(element('button', sign, `gap ${KINDS[sign].split(' ')[0]}`), { type: 'button', tabIndex: -1 });
  Object.assign(button.dataset, { gap, sign });
  button.setAttribute('aria-label', `${sign === '|' || sign === '−' ? 'Join' : 'Cut'} after character ${gap} of line ${numberOf(item) + 1}: ${KINDS[sign]}`);
  return button;
}
// A space in the box appears or goes; the gap of the new drawing gets the focus.
async function toggleGap(panel, item, gap) {
  if (panel.results.matches('.stale')) return; // the box has another text
  const { text } = panel.boxes[item.closest('[data-editable]').dataset.editable];
  const lines = text.value.split('\n');
  const line = numberOf(item);
  const at = [...lines[line].matchAll(/\S/gu)][gap - 1]; // the unit before the gap
  const end = at.index + at[0].length;
  const rest = lines[line].slice(end);
  lines[line] = lines[line].slice(0, end) + (/^\s/.test(rest) ? rest.trimStart() : ` ${rest}`);
  text.value = lines.join('\n');
  await changed(panel);
  const drawn = [...panel.results.querySelectorAll('.utterances > li')].find((each) => numberOf(each) === line);
  if (!drawn || panel.form.contains(document.activeElement)) return;
  openLine(drawn);
  focusGap(drawn.querySelector(`[data-gap="${gap}"]`));
}
function focusGap(button) {
  for (const other of button.closest('li').querySelectorAll('.gap')) other.tabIndex = -1;
  button.tabIndex = 0;
  button.focus({ preventScroll: true });
}
// A line for a paper, alone or with a link.
const TEX = { '|': '$\\mid$', '+': '$\\mathbf{+}$', '−': '$\\mathbf{-}$' };
const ESCAPES = JSON.parse(page.dataset.latex); // those of tables
actions.tex = async (panel, form, button) => {
  // Segments, and between them the signs of boundaries, which are buttons.
  const parts = [...lineAt(button).querySelector('span[dir]').children].map((node) => [textOf(node), TEX[node.dataset.sign]]);
  const tex = parts.map(([text, sign]) => (sign ? ` ${sign} ` : [...text].map((letter) => ESCAPES[letter] ?? letter).join(''))).join('');
  const link = form === 'cite' && await linkOf(panel, '');
  if (link !== '') copy(button, link ? `\\href{${link.replace(/[#%&]/g, '\\$&')}}{${tex}}` : tex);
};

page.addEventListener('click', ({ target }) => {
  const item = lineAt(target);
  if (target.matches('.gap')) toggleGap(panelOf(target), item, Number(target.dataset.gap));
  else if (item) openLine(item);
});
page.addEventListener('pointerover', ({ target, pointerType }) => {
  const item = lineAt(target);
  // Of a tap, the click opens the line: else the same tap would press the gap that appears under it.
  if (item && pointerType !== 'touch') openLine(item);
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

// Gaps: a line of the drawing gets a button in each gap when a pointer or the focus reaches it. A button edits the text of the box
// that data-editable names; the scores follow from the box.
const KINDS = { '|': 'both have a boundary', '+': 'missed boundary', '−': 'wrong boundary', '': 'no boundary' };
const lineAt = (node) => node.closest('[data-editable] .utterances > li');
const numberOf = (item) => Number(item.querySelector('.place').textContent.replaceAll(',', '')) - 1;
// Letters that are joined to their neighbours keep their shapes if a joiner stands on both sides of a gap.
const isJoined = (letter) => /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u.test(letter);

// A mark stays on its letter: of an opened line, graphemes are pieces. A gap inside one is reached by keys alone.
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const clustersOf = (text) => [...graphemes.segment(text)].map(({ segment }) => segment);
// Where a finger points, lines are open from the start, so that one tap is one cut.
const isCoarse = matchMedia('(pointer: coarse), (max-width: 640px)');
const isOpenFirst = (results) => isCoarse.matches || results.querySelector('.instrument') !== null;

function openLine(item) {
  if (item.dataset.open !== undefined) return;
  const parts = [...item.querySelector('span[dir]').children];
  // A word that stands on one line stays there.
  for (const part of parts.filter((each) => isSegment(each) && each.getClientRects().length === 1)) part.dataset.whole = '';
  item.dataset.open = '';
  let gap = 0;
  for (const part of parts) {
    if (!isSegment(part)) { part.replaceWith(gapButton(item, gap, part.textContent)); continue; }
    const circle = part.textContent.startsWith('◌') ? '◌' : '';
    const clusters = clustersOf(textOf(part));
    part.replaceChildren(...clusters.flatMap((cluster, index) => {
      const next = clusters[index + 1];
      const joiner = isJoined(cluster) && next && isJoined(next) ? '\u200d' : '';
      const inside = [...cluster].slice(1).map(() => {
        gap += 1;
        return gapButton(item, gap, '', 'inside');
      });
      gap += 1;
      const own = (index ? '' : circle) + cluster + joiner;
      return next ? [own, ...inside, gapButton(item, gap, ''), joiner] : [own, ...inside];
    }));
  }
  item.querySelector('.gap')?.setAttribute('tabindex', '0');
  explain(panelOf(item));
  if (isOpenFirst(panelOf(item).results)) return;
  const note = element('span', '', 'pictures');
  item.lastElementChild.append(note);
  for (const [form, label, name, title] of [['tex', 'LaTeX', 'Copy LaTeX', 'This line for a paper'],
    ['cite', 'Cite', 'Cite this example', 'LaTeX of this line, with a link to this page']]) {
    const button = Object.assign(element('button', label, 'picture'), { type: 'button', title, ariaLabel: name });
    button.dataset.tex = form;
    note.append(' ', button);
  }
}
function gapButton(item, gap, sign, kind = KINDS[sign].split(' ')[0]) {
  const button = Object.assign(element('button', sign, `gap ${kind}`), { type: 'button', tabIndex: -1 });
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
  remember(panel);
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

page.addEventListener('click', ({ target, clientX, clientY }) => {
  const item = lineAt(target);
  if (!item || target.closest('.picture')) return;
  const isOpen = item.dataset.open !== undefined;
  openLine(item);
  const gap = target.matches('.gap') ? target : isOpen && isOpenFirst(panelOf(item).results) && target.closest('[dir]') && nearestGap(item, clientX, clientY);
  if (gap) toggleGap(panelOf(item), item, Number(gap.dataset.gap));
});
// The gap that a tap beside it means.
function nearestGap(item, x, y) {
  const distanceOf = (gap) => {
    const { left, right, top, bottom } = gap.getBoundingClientRect();
    return Math.hypot(x - (left + right) / 2, 3 * (y - (top + bottom) / 2));
  };
  const gaps = [...item.querySelectorAll('.gap:not(.inside)')];
  return gaps.reduce((best, gap) => (distanceOf(gap) < distanceOf(best) ? gap : best), gaps[0]);
}
shown.push(({ results }) => {
  if (!isOpenFirst(results)) return;
  for (const item of results.querySelectorAll('[data-editable] .utterances > li')) openLine(item);
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

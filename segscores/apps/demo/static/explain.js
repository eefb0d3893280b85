// Explain: a number lights up what it counts in the drawing, while the pointer or the focus is on it, or until a second click.
const OWN = { precision: '−', recall: '+', fscore: '+−', tnr: '−' }; // the marks that end a word of a side, besides |
const EDGES = { boundary_all: ['start', 'end'], boundary_start: ['start'], boundary_end: ['end'], boundary_noedge: [] };
const WRONG = { '−': 'wrong', '+': 'missed', '+−': 'wrong or missed' };

// The words that any line has on both sides; null if the page does not know all lines, or if they are of several systems.
function lexiconOf(results, joint) {
  const lines = results.querySelector('.lines');
  if (lines?.dataset.lexicon) return new Set(JSON.parse(lines.dataset.lexicon));
  if (lines && lines.dataset.complete === undefined) return null;
  if (results.querySelector('.side')) return null;
  const drawn = [...results.querySelectorAll('.utterances > li [dir]')];
  const [one, other] = ['+', '−'].map((own) => new Set(drawn.flatMap((line) => wordsOf(line, own).map((word) => wordText(word, joint)))));
  return new Set([...one].filter((word) => other.has(word)));
}
// What is lit: lists of nodes, each with its side, whether it is right, and the edge of the line; null for a score that is not drawn.
function litBy(results, key, joint) {
  const [, group, column] = /^(\w+)_([a-z]+)$/.exec(key) ?? [];
  const lexicon = group === 'type' && lexiconOf(results, joint);
  if (!OWN[column] || !(group === 'token' || lexicon || EDGES[group])) return null;
  const lines = [...results.querySelectorAll('.utterances [dir]')].filter((line) => line.children.length);
  return [...OWN[column]].flatMap((own) => {
    const seen = new Set();
    return lines.flatMap((line) => {
      if (EDGES[group]) {
        const marks = [...line.children].filter((node) => !isSegment(node) && ['|', own].includes(node.textContent));
        return [...marks.map((node) => [[node], own, node.textContent === '|']), ...EDGES[group].map((edge) => [[line], own, true, edge])];
      }
      return wordsOf(line, own).flatMap((nodes) => {
        const text = lexicon && wordText(nodes, joint);
        const isRight = lexicon ? lexicon.has(text) : !nodes.some((node) => node.matches('.off'));
        if (seen.has(text) || (column === 'tnr' && isRight)) return [];
        if (lexicon) seen.add(text);
        return [[nodes, own, isRight]];
      });
    });
  });
}
function explain(panel, key = panel.pointed ?? panel.kept) {
  const { results } = panel;
  // The lexicon is that of all lines.
  const wanted = key?.startsWith('type_') ? 'yes' : '';
  if (wanted && results.querySelector('.lines:not([data-lexicon], [data-complete])') && !panel.form.elements.lexicon.value) view(panel, { start: panel.form.elements.start.value, lexicon: wanted });
  const strip = results.querySelector('.explained');
  if (!strip) return;
  const figure = key && (results.querySelector(`.figure[data-explain="${key}"]`) ?? results.querySelector(`[data-told][data-explain="${key}"]`));
  for (const button of results.querySelectorAll('[data-explain]')) button.ariaPressed = String(button.dataset.explain === panel.kept);
  for (const name of ['above', 'below', 'start', 'end']) for (const node of results.querySelectorAll(`.utterances [data-${name}]`)) delete node.dataset[name];
  const lit = figure && litBy(results, key, strip.dataset.joint);
  results.classList.toggle('explaining', Boolean(lit));
  results.classList.toggle('telling', Boolean(figure));
  strip.dataset.first ??= strip.textContent;
  if (!figure) { strip.textContent = strip.dataset.first; return; }
  const sides = OWN[key.split('_').pop()];
  for (const [nodes, own, isRight, edge] of lit ?? []) {
    for (const { dataset } of nodes) {
      if (edge) { dataset[edge] = ''; continue; }
      if (sides.length === 1 || own === '+') dataset.above = isRight ? 'right' : 'off';
      if (sides.length === 1 || own === '−') dataset.below = isRight ? 'right' : 'off';
    }
  }
  const [value, small] = ['strong', 'small'].map((part) => figure.querySelector(part)?.textContent.trim());
  const fraction = figure.dataset.fraction ?? small;
  const named = figure.querySelector('.heard, .term');
  const name = named?.dataset.name ?? named?.textContent.trim();
  strip.replaceChildren(element('strong', name), ` = ${[figure.dataset.told.replace(/\.$/, ''), fraction, value].filter(Boolean).join(' = ')}`);
  if (!lit) return;
  const right = lit.filter(([, , isRight]) => isRight).length;
  for (const [kind, count, word] of [['right', right, 'right'], ['off', lit.length - right, WRONG[sides]]]) {
    if (count) strip.append(' ', element('span', `${counted(count)} ${word}`, `lit ${kind}`));
  }
  if (sides.length > 1) strip.append(' in both texts');
  // A viewer draws a page of a long text.
  if (fraction && !key.endsWith('tnr') && lit.length !== Number(fraction.split(' / ').pop().replaceAll(',', ''))) strip.append(', in the lines below');
}
actions.explain = (panel, key) => {
  panel.kept = panel.kept === key ? undefined : key;
  explain(panel, key);
  // On a phone the drawing is far from the number.
  if (isCoarse.matches) panel.results.querySelector('.explaining .utterances :is([data-above], [data-below], [data-start])')?.scrollIntoView({ block: 'center' });
};
for (const [event, isOn] of [['pointerover', true], ['pointerout', false], ['focusin', true], ['focusout', false]]) {
  page.addEventListener(event, ({ target, pointerType }) => {
    const button = target.closest?.('[data-explain]');
    // A tap shows the explanation with its click: shown before, the explanation would move the button away.
    const isOfTap = pointerType === 'touch' || (event === 'focusin' && !button?.matches(':focus-visible'));
    if (!button || isOfTap) return;
    const panel = panelOf(button);
    panel.pointed = isOn ? button.dataset.explain : undefined;
    explain(panel);
  });
}
// Wherever the focus is: new results may have taken it away.
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  const panel = panelOf(page.querySelector('.panel:not([hidden])'));
  panel.kept = panel.pointed = undefined;
  explain(panel);
});
shown.push((panel) => {
  explain(panel);
  // It is asked for again when it is needed.
  const { lexicon } = panel.form.elements;
  if (lexicon && !(panel.pointed ?? panel.kept)?.startsWith('type_')) lexicon.value = '';
});

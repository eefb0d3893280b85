// Try it: buttons that make typical errors, and a sentence of one's own.
{
  const panel = panels.get('try');
  const { reference, prediction } = panel.boxes;
  panel.kept = 'token_recall';

  // Graphemes, and the places of cuts between them.
  const wordsOf = (text) => text.trim().split(/\s+/).map(clustersOf);
  const cutsOf = (words) => {
    let place = 0;
    return words.slice(0, -1).map((word) => { place += word.length; return place; });
  };
  const cutAt = (letters, cuts) => letters.map((letter, index) => (cuts.has(index) && index > 0 ? ` ${letter}` : letter)).join('');
  const drawn = (count, places) => Array.from({ length: count }, () => places.splice(Math.floor(Math.random() * places.length), 1)[0]);
  const ERRORS = {
    'too few cuts': (cuts) => cuts.filter((_, index) => index % 3 !== 0),
    'too many': (cuts, gaps) => [...cuts, ...gaps.filter((gap) => !cuts.includes(gap)).filter((_, index) => index % 4 === 1)],
    'off by one': (cuts, gaps) => cuts.map((gap, index) => (index % 2 || !gaps.includes(gap + 1) ? gap : gap + 1)),
    random: (cuts, gaps) => drawn(cuts.length, [...gaps]),
    perfect: (cuts) => cuts,
  };
  actions.err = (_, kind) => {
    const words = wordsOf(reference.text.value);
    const letters = words.flat();
    const gaps = letters.slice(1).map((_, index) => index + 1);
    remember(panel);
    prediction.text.value = cutAt(letters, new Set(ERRORS[kind](cutsOf(words), gaps)));
    changed(panel);
  };
  actions.own = (_, __, button) => {
    const isTyping = panel.form.classList.toggle('typing');
    button.ariaExpanded = String(isTyping);
    if (isTyping) { reference.text.focus(); reference.text.select(); }
  };
  // Another sentence begins without errors.
  const lettersOf = (text) => text.replace(/\s/g, '');
  panel.form.addEventListener('input', ({ target }) => {
    if (target === reference.text && lettersOf(target.value) !== lettersOf(prediction.text.value)) prediction.text.value = target.value;
  }, true);
}

// Compare: the next boxes wait behind a button until they are filled, and a header sorts by its score, which the whole answer follows.
{
  const panel = panels.get('compare');
  const boxes = Object.values(panel.boxes).map(({ box }) => box);
  for (const box of boxes.slice(4)) box.classList.add('spare');
  for (const box of boxes) box.querySelector('input[type=file]').multiple = true;
  const waiting = () => boxes.find((box) => box.offsetParent === null);
  const add = Object.assign(element('button', 'Add a system'), { type: 'button' });
  add.addEventListener('click', () => {
    const box = waiting();
    box.classList.remove('spare');
    box.querySelector('textarea').focus();
    add.hidden = !waiting();
  });
  panel.form.querySelector('.boxes + .actions').prepend(add);

  let chosen = ''; // the header that gets the focus again
  panel.results.addEventListener('click', ({ target }) => {
    const key = target.closest('th[data-key]')?.dataset.key;
    if (!key || panel.form.elements.by.value === key) return;
    panel.form.elements.by.value = chosen = key;
    changed(panel);
  });
  shown.push((each) => {
    if (each !== panel || !chosen) return;
    panel.results.querySelector(`th[data-key="${chosen}"] button`)?.focus({ preventScroll: true });
    chosen = '';
  });
}

// Compare: the next boxes wait behind a button until they are filled, and a header sorts by its score, which the whole answer follows.
{
  const panel = panels.get('compare');
  const boxes = Object.values(panel.boxes).map(({ box }) => box);
  for (const box of boxes.slice(4)) box.classList.add('spare');
  const waiting = () => boxes.find((box) => box.offsetParent === null);
  for (const box of boxes) box.querySelector('input[type=file]').multiple = true;

  const add = element('button', 'Add a system');
  Object.assign(add, { type: 'button' });
  add.addEventListener('click', () => {
    const box = waiting();
    box?.classList.remove('spare');
    box?.querySelector('textarea').focus();
    add.hidden = !waiting();
  });
  panel.section.querySelector('.box:last-child').parentElement.nextElementSibling.prepend(add);

  let chosen = ''; // the header that gets the focus again
  panel.results.addEventListener('click', ({ target }) => {
    const header = target.closest('th[data-key]');
    if (!header || panel.form.elements.by.value === header.dataset.key) return;
    panel.form.elements.by.value = header.dataset.key;
    chosen = header.dataset.key;
    changed(panel);
  });
  parts.results.push((shown) => {
    if (shown !== panel) return;
    const names = [...panel.results.querySelectorAll('.compared tbody th bdi')].map((name) => Object.assign(element('option', ''), { value: name.textContent }));
    document.getElementById('compare-baseline-list').replaceChildren(...names);
    if (chosen) panel.results.querySelector(`th[data-key="${chosen}"] button`)?.focus({ preventScroll: true });
    chosen = '';
  });
}

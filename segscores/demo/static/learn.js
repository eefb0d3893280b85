// Learn: a window that slides over the sentence, by hand or played, and the addresses of questions.
const lesson = { place: 0, timer: 0, question: '' };
function startLesson(at, [play, slider, told], items, units, totals) {
  const k = Number(at.dataset.k);
  const move = (place) => {
    lesson.place = place;
    slider.value = place + 1;
    items.forEach((item, index) => item.toggleAttribute('aria-current', index === place));
    units.forEach((unit, index) => {
      unit.classList.toggle('within', index >= place && index <= place + k);
      unit.classList.toggle('first', index === place);
      unit.classList.toggle('last', index === place + k);
    });
    told.textContent = `${place + 1} of ${items.length}: ${items[place].title}`;
    slider.setAttribute('aria-valuetext', told.textContent);
    for (const total of totals) {
      const found = items.slice(0, place + 1).filter((item) => total.dataset.key in item.dataset).length;
      total.textContent = `up to here ${found} of ${place + 1}`;
    }
  };
  const playing = (is) => {
    clearInterval(lesson.timer);
    play.setAttribute('aria-pressed', String(is));
    if (is) lesson.timer = setInterval(() => move((lesson.place + 1) % items.length), 900);
  };
  slider.addEventListener('input', () => { playing(false); move(slider.valueAsNumber - 1); });
  play.addEventListener('click', () => playing(play.getAttribute('aria-pressed') !== 'true'));
  items.forEach((item, index) => item.addEventListener('click', () => { playing(false); move(index); }));
  move(Math.min(lesson.place, items.length - 1));
}
shown.push(({ name, form, results }) => {
  const asked = form.elements.question?.value;
  if (asked === undefined) return;
  clearInterval(lesson.timer);
  for (const link of form.querySelectorAll('.questions a')) link.toggleAttribute('aria-current', link.hash === `#${name}/${asked}`);
  // A sentence that was taken from a question is no longer at its address.
  if (!asked && location.hash.startsWith(`#${name}/`)) history.replaceState(null, '', `${location.pathname}${location.search}#${name}`);
  const at = results.querySelector('.lesson');
  if (at?.querySelector('.windows')) startLesson(at, ['.play', '.at', '.told'].map((kind) => at.querySelector(kind)), ...['.windows > li', '.unit', '.so-far'].map((kind) => [...at.querySelectorAll(kind)]));
  if (asked && asked !== lesson.question) {
    results.querySelector('.question h2').focus();
    results.querySelector('.question').scrollIntoView();
  }
  lesson.question = asked;
});

// Learn: a window that slides over the sentence, by hand or played, and the addresses of questions.
const lessonAt = { place: 0, timer: 0, question: '' };
function startLesson(lesson) {
  const [at, play, told] = ['.at', '.play', '.told'].map((kind) => lesson.querySelector(kind));
  const items = [...lesson.querySelectorAll('.windows > li')];
  const units = [...lesson.querySelectorAll('.unit')];
  const k = Number(lesson.dataset.k);
  clearInterval(lessonAt.timer);
  if (!items.length) return;
  const move = (place) => {
    lessonAt.place = place;
    at.value = place + 1;
    items.forEach((item, index) => { if (index === place) item.setAttribute('aria-current', 'true'); else item.removeAttribute('aria-current'); });
    units.forEach((unit, index) => {
      unit.classList.toggle('within', index >= place && index <= place + k);
      unit.classList.toggle('first', index === place);
      unit.classList.toggle('last', index === place + k);
    });
    const { counts, pk, window_diff: diff } = items[place].dataset;
    const [reference, prediction] = counts.split(' ');
    told.textContent = `${place + 1} of ${items.length}: ${reference} in the reference, ${prediction} in the prediction: ` +
      (pk !== undefined ? 'wrong for both' : diff !== undefined ? 'wrong for WindowDiff' : 'right');
    at.setAttribute('aria-valuetext', told.textContent);
    for (const line of lesson.querySelectorAll('.so-far')) {
      const found = items.slice(0, place + 1).filter((item) => line.dataset.key in item.dataset).length;
      line.textContent = `up to here ${found} of ${place + 1}`;
    }
  };
  const playing = (is) => {
    clearInterval(lessonAt.timer);
    play.setAttribute('aria-pressed', String(is));
    if (is) lessonAt.timer = setInterval(() => { if (lesson.isConnected) move((lessonAt.place + 1) % items.length); else clearInterval(lessonAt.timer); }, 900);
  };
  at.addEventListener('input', () => { playing(false); move(at.valueAsNumber - 1); });
  play.addEventListener('click', () => playing(play.getAttribute('aria-pressed') !== 'true'));
  items.forEach((item, index) => item.firstElementChild.addEventListener('click', () => { playing(false); move(index); }));
  move(Math.min(lessonAt.place, items.length - 1));
}
parts.results.push((panel) => {
  const field = panel.form.elements.question;
  if (!field) return;
  for (const link of panel.form.querySelectorAll('.questions a')) link.toggleAttribute('aria-current', link.hash === `#${panel.name}/${field.value}`);
  // A sentence that was taken from a question is no longer at its address.
  if (!field.value && location.hash.startsWith(`#${panel.name}/`)) history.replaceState(null, '', `${location.pathname}${location.search}#${panel.name}`);
  const lesson = panel.results.querySelector('.lesson');
  if (lesson) startLesson(lesson);
  if (field.value && field.value !== lessonAt.question) {
    panel.results.querySelector('.question h2')?.focus();
    panel.results.querySelector('.question')?.scrollIntoView();
  }
  lessonAt.question = field.value;
});
page.addEventListener('click', (event) => {
  const link = event.target.closest('.questions a, .question a');
  if (!link) return;
  event.preventDefault();
  goTo(link);
});

// Learn: a window that slides over the sentence, and the addresses of questions.
const lesson = { place: 0, question: '' };
function startLesson(at) {
  const [slider, told] = ['.at', '.told'].map((kind) => at.querySelector(kind));
  const [items, units, totals] = ['.windows > li', '.strip > span', '.so-far'].map((kind) => [...at.querySelectorAll(kind)]);
  const move = (place) => {
    lesson.place = place;
    slider.value = place + 1;
    items.forEach((item, index) => { item.ariaCurrent = index === place ? 'true' : null; });
    units.forEach((unit, index) => unit.classList.toggle('within', index >= place && index <= place + units.length - items.length));
    told.textContent = `${place + 1} of ${items.length}: ${items[place].title}`;
    for (const total of totals) {
      const wrong = items.slice(0, place + 1).filter((item) => total.dataset.key in item.dataset).length;
      total.textContent = `${wrong} / ${place + 1}`;
    }
  };
  slider.oninput = () => move(slider.valueAsNumber - 1);
  items.forEach((item, index) => { item.onclick = () => move(index); });
  move(Math.min(lesson.place, items.length - 1));
}
shown.push(({ name, form, results }) => {
  const asked = form.elements.question?.value;
  const question = results.querySelector('.question');
  if (asked === undefined || (asked !== '') !== (question !== null)) return; // the answer to it is on its way
  for (const link of form.querySelectorAll('.questions a')) link.ariaCurrent = link.hash === `#${name}/${asked}` ? 'page' : null;
  // A sentence that was taken from a question is no longer at its address.
  if (!asked && location.hash.startsWith(`#${name}/`)) history.replaceState(null, '', `${location.pathname}${location.search}#${name}`);
  if (results.querySelector('.windows')) startLesson(results);
  // After a guess its answer has the focus, which was on the button.
  if (document.activeElement === document.body) results.querySelector('.guessed')?.focus({ preventScroll: true });
  if (results.querySelector('.goals strong')) results.querySelector('.goals').scrollIntoView({ block: 'nearest' });
  if (asked && asked !== lesson.question) {
    for (const answer of results.querySelectorAll('.question > details')) answer.open = false;
    question.querySelector('h2').focus();
    question.scrollIntoView();
  }
  results.dataset.address = asked ? `${location.origin}${location.pathname}#${name}/${asked}` : ''; // for paper
  lesson.question = asked;
});

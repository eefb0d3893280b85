// Compare: the lines with a word that one system has right and another wrong; a click on a system opens its line in the tab Score.
actions.opens = ({ results }, _, button) => {
  const { joint } = results.querySelector('.explained').dataset;
  const line = button.closest('.row').querySelector('[dir]');
  const [reference, prediction] = ['+', '−'].map((own) => wordsOf(line, own).map((word) => wordText(word, joint)).join(joint ? ' WORD_BOUNDARY ' : ' '));
  actions.example(panels.get('score'), JSON.stringify({ reference, prediction }));
  location.hash = '#score';
};
shown.push(({ results }) => {
  const [right, wrong] = ['right', 'wrong'].map((side) => results.querySelector(`.found .${side}-in`));
  if (!wrong) return;
  const items = [...results.querySelectorAll('.side > li')];
  const filter = () => {
    for (const item of items) {
      const lines = [...item.querySelectorAll('[dir]')];
      const [chosen, others] = [right, wrong].map(({ value }) => (value ? [lines[value]] : lines));
      item.hidden = !chosen.some((line) => others.some((other) => isRightAndWrong(line, other)));
    }
    const count = items.filter((item) => !item.hidden).length;
    wrong.form.querySelector('[role=status]').textContent = right.value || wrong.value ? `${counted(count)} of ${counted(items.length)} lines` : '';
  };
  wrong.form.addEventListener('change', filter);
  if (right.value || wrong.value) filter();
});

// Compare: the lines with a word that one system has right and another wrong; a click on a system shows its line among all of its own.
actions.opens = async (panel, box, button) => {
  const { textContent } = button.closest('li').querySelector('.place');
  await actions.set(panel, `only=${box}`);
  await goTo(panel, textContent.replaceAll(',', ''));
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
  wrong.form.onchange = filter;
  if (right.value || wrong.value) filter();
});

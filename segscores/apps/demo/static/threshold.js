// Threshold: the slider stands on the axis of the chart; the pointer on the chart reads the values there, and a click sets λ.
{
  const panel = panels.get('threshold');
  const slider = panel.form.elements.ratio;
  const [LEFT, WIDTH, WHOLE] = [44, 440, 500]; // of the chart's axis, as drawing.py has them
  const short = (share) => String(Number(share.toFixed(4)));
  const shareAt = (svg, { clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, ((clientX - left) / width * WHOLE - LEFT) / WIDTH));
  };
  const showRatio = () => { panel.form.querySelector('output').textContent = short(slider.valueAsNumber); };
  slider.addEventListener('input', showRatio);
  shown.push((each) => {
    if (each !== panel) return;
    showRatio();
    const chart = panel.results.querySelector('.chart');
    const [svg, values, points] = [chart.querySelector('svg'), chart.querySelector('.values'), JSON.parse(chart.dataset.points)];
    const own = [...values.childNodes];
    const line = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
    line.setAttribute('class', 'grid pointer');
    svg.addEventListener('pointermove', (event) => {
      const { ratio, threshold, ...scores } = points;
      const share = shareAt(svg, event);
      const at = ratio.reduce((best, other, index) => (Math.abs(other - share) < Math.abs(ratio[best] - share) ? index : best), 0);
      line.setAttribute('d', `M${LEFT + WIDTH * ratio[at]} 12v260`);
      values.replaceChildren(`λ = ${short(ratio[at])}, ${threshold[at] === null ? 'no boundary' : `from a score of ${threshold[at]}`}`);
      for (const [name, all] of Object.entries(scores)) values.append(` · ${name} `, element('strong', all[at] === null ? '–' : all[at].toFixed(4)));
    });
    svg.addEventListener('pointerleave', () => { values.replaceChildren(...own); line.removeAttribute('d'); });
    svg.addEventListener('click', (event) => { slider.value = shareAt(svg, event); changed(panel); });
  });
}

// Drawn lines: the words of each side.

// The words of one side of a drawn line: segments, with the marks of the other side between them. Its own mark, besides '|', ends one.
const isSegment = (node) => node.tagName === 'B';
function wordsOf(line, own) {
  const words = [[]];
  for (const node of line.children) {
    if (!isSegment(node) && ['|', own].includes(node.textContent)) words.push([]);
    else words.at(-1).push(node);
  }
  return words;
}
// Without the circle on which a combining character stands, and without what joins letters of an opened line.
const textOf = (segment) => segment.textContent.replaceAll('\u200d\u200d', '').replace(/^◌/u, '');
const wordText = (nodes, joint) => nodes.filter(isSegment).map(textOf).join(joint);

// Whether a word of the reference is right in one drawn line and wrong in another.
function isRightAndWrong(right, wrong) {
  const [isRight, isWrong] = [right, wrong].map((line) => wordsOf(line, '+').map((word) => !word.some((node) => node.matches('.off'))));
  return isRight.some((is, index) => is && !isWrong[index]);
}

// What people write: shown as a difference before it is written, and as waiting until the next run has taken it over.
const CORRECTIONS = "v1/corrections";

/**
 * The foot of a page: where people correct it by hand or, where a server takes them, a form.
 * @param {Subject} subject
 * @param {HTMLElement} byHand
 */
function corrections(subject, byHand) {
  if (!source.served) return byHand;
  const place = element("div", {class: "corrections"}, byHand);
  void fillCorrections(subject, place, byHand).catch(() => {});
  return place;
}

/** @param {Subject} subject @param {HTMLElement} place @param {HTMLElement} byHand @param {string} [message] */
async function fillCorrections(subject, place, byHand, message) {
  const written = await fromServer(CORRECTIONS + "?" + new URLSearchParams(subject.named));
  const waiting = subject.sayings.filter(saying => {
    const words = wordsAbout(written, saying);
    return words !== undefined && words !== (saying.shown || "");
  });
  place.replaceChildren(
    ...present([
      waiting.length
        ? section(
            "Waiting for the next run",
            element(
              "dl",
              {},
              waiting.flatMap(saying => [
                element("dt", {}, saying.label),
                element("dd", {dir: "auto"}, prose(wordsAbout(written, saying))),
              ]),
            ),
          )
        : null,
      written.writable ? correctionForm(subject, written, place, byHand) : byHand,
      message ? element("p", {role: "status"}, message) : null,
    ]),
  );
}

/** @param {any} written @param {Saying} saying @returns {string | undefined} */
function wordsAbout(written, saying) {
  const words = saying.column === undefined ? written[saying.said || "description"] : written.columns[saying.column];
  return words === null ? undefined : words;
}

/** @param {Subject} subject @param {any} written @param {HTMLElement} place @param {HTMLElement} byHand */
function correctionForm(subject, written, place, byHand) {
  const which = element(
    "select",
    {id: "corrected"},
    subject.sayings.map((saying, number) => element("option", {value: String(number)}, visible(saying.label))),
  );
  const words = element("textarea", {id: "words", rows: "3", dir: "auto", maxlength: "4000"});
  const answer = element("div", {class: "proposal", "aria-live": "polite"});
  const saying = () => subject.sayings[Number(which.value)];
  const fill = () => {
    words.value = wordsAbout(written, saying()) ?? (saying().own ? saying().shown || "" : "");
    answer.replaceChildren();
  };
  which.addEventListener("change", fill);
  words.addEventListener("input", () => answer.replaceChildren());
  fill();
  const form = element(
    "form",
    {class: "correct"},
    element("label", {for: "corrected"}, "What is wrong or missing"),
    which,
    element("label", {for: "words"}, "Your words (empty takes them back)"),
    words,
    element("button", {type: "submit"}, "Show the change"),
    answer,
  );
  form.addEventListener("submit", event => {
    event.preventDefault();
    const {said, column} = saying();
    const correction = {...subject.named, words: words.value};
    if (said) Object.assign(correction, {said});
    if (column !== undefined) Object.assign(correction, {column});
    const agree = async (/** @type {string} */ token) => {
      const {file} = await fromServer(CORRECTIONS, {...correction, token});
      await fillCorrections(subject, place, byHand, `Written to ${file}. It appears here after the next run.`);
    };
    fromServer(CORRECTIONS + "/preview", correction)
      .then(proposal => answer.replaceChildren(...proposalParts(proposal, agree, answer)))
      .catch(problem => answer.replaceChildren(refusalPart(problem)));
  });
  return section("Correct this", form);
}

/**
 * @param {{difference: string, file: string, token: string}} proposal
 * @param {(token: string) => Promise<void>} agree
 * @param {HTMLElement} answer
 */
function proposalParts(proposal, agree, answer) {
  if (!proposal.difference) return [element("p", {}, "That is what is written already.")];
  const lines = proposal.difference.split("\n").map(line => {
    const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : null;
    return element("span", {class: kind}, visible(line) + "\n");
  });
  const write = element("button", {type: "button"}, "Write it");
  write.addEventListener("click", () => {
    write.disabled = true;
    agree(proposal.token).catch(problem => answer.replaceChildren(refusalPart(problem)));
  });
  return [
    element("p", {}, "This would change ", code(proposal.file), ":"),
    element("pre", {class: "difference", tabindex: "0", dir: "ltr"}, lines),
    write,
  ];
}

/** @param {unknown} problem */
function refusalPart(problem) {
  const message =
    problem instanceof TokenWanted ? "The token is no longer accepted; reload the page." : String(problem);
  return element("p", {role: "alert"}, message.replace(/^Error: /, ""));
}

// What a voice says to introduce itself.

const SAMPLES = {
  ar: "صباح الخير! كيف حالك اليوم؟",
  ca: "Bon dia! Avui fa un dia preciós per passejar vora el mar.",
  cs: "Dobré ráno! Dnes je krásný den na procházku.",
  da: "Godmorgen! Det er en smuk dag til en tur ved havet.",
  de: "Guten Morgen! Heute ist ein schöner Tag für einen Spaziergang am Meer.",
  el: "Καλημέρα! Σήμερα είναι μια όμορφη μέρα.",
  en: "Good morning! It is a beautiful day for a walk along the harbour.",
  es: "¡Buenos días! Hoy hace un día precioso para pasear junto al mar.",
  fi: "Hyvää huomenta! Tänään on kaunis päivä.",
  fr: "Bonjour ! C'est une belle journée pour se promener au bord de la mer.",
  hi: "नमस्ते! आज बहुत अच्छा दिन है।",
  hu: "Jó reggelt! Ma szép napunk van.",
  is: "Góðan daginn! Í dag er fallegt veður.",
  it: "Buongiorno! È una bella giornata per una passeggiata in riva al mare.",
  nb: "God morgen! Det er en fin dag for en tur langs sjøen.",
  nl: "Goedemorgen! Het is een mooie dag voor een wandeling langs de zee.",
  pl: "Dzień dobry! Dziś jest piękny dzień na spacer nad morzem.",
  pt: "Bom dia! Hoje está um dia lindo para caminhar à beira-mar.",
  ro: "Bună dimineața! Astăzi este o zi frumoasă.",
  ru: "Доброе утро! Сегодня прекрасный день для прогулки у моря.",
  sk: "Dobré ráno! Dnes je krásny deň na prechádzku.",
  sv: "God morgon! Det är en vacker dag för en promenad vid havet.",
  tr: "Günaydın! Bugün çok güzel bir gün.",
  uk: "Доброго ранку! Сьогодні чудовий день для прогулянки.",
  vi: "Chào buổi sáng! Hôm nay là một ngày đẹp trời.",
  zh: "早上好！今天天气真好。",
};
/** What the tab Speak offers to be said. */
const EXAMPLES = {
  de: "Als wir den Hafen erreichten, hatte der Regen aufgehört. Alle Boote lagen still, und im Wasser standen die Lichter wie eine zweite Stadt. Irgendwo spielte ein Radio.",
  en: "The rain had stopped by the time we reached the harbour. Every boat was still, and the water held the lights like a second town. Somewhere, a radio was playing.",
  es: "Cuando llegamos al puerto, ya había dejado de llover. Las barcas estaban quietas, y el agua guardaba las luces como una segunda ciudad. En algún lugar sonaba una radio.",
  fr: "Quand nous sommes arrivés au port, la pluie avait cessé. Les bateaux ne bougeaient plus, et l’eau gardait les lumières comme une seconde ville. Quelque part, une radio jouait.",
  sv: "När vi kom fram till hamnen hade regnet upphört. Båtarna låg stilla, och ljusen stod i vattnet som en andra stad. Någonstans spelade en radio.",
};
/** Every language reads these in its own words. */
const NUMBERS = "1, 2, 3, 4, 5.";

const base = (code) => ({ no: "nb", cmn: "zh" })[code.split("-")[0]] ?? code.split("-")[0];

/** A sentence in this language of espeak-ng. */
export const sampleOf = (code) => SAMPLES[base(code)] ?? NUMBERS;

/** Some sentences in this language. */
export const exampleOf = (code) => EXAMPLES[base(code)] ?? sampleOf(code);

/** Whether these are such sentences, which nobody has written. */
export const isExample = (text) => [EXAMPLES, SAMPLES].some((all) => Object.values(all).includes(text)) || text === NUMBERS;

/** Whether two codes are of one language. */
export const sameLanguage = (one, other) => base(one) === base(other);

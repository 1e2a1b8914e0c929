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
/** Every language reads these in its own words. */
const NUMBERS = "1, 2, 3, 4, 5.";

/** A sentence in this language of espeak-ng. */
export const sampleOf = (code) => SAMPLES[{ no: "nb", cmn: "zh" }[code.split("-")[0]] ?? code.split("-")[0]] ?? NUMBERS;

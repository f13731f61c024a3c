// Pictures for light and dark follow the reader's choice on the page, not only that of the system.
const follow = () => {
  const dark = document.body.getAttribute("data-md-color-scheme") === "slate";
  for (const source of document.querySelectorAll("picture source")) source.media = dark ? "all" : "not all";
};
new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
follow();

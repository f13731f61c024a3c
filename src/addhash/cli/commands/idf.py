"""`addhash idf`: in how many documents each token occurs."""

from typing import Annotated

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Documents, in_lots
from addhash.cli.model_files import save_model
from addhash.cli.options.arguments import DocumentsArgument, ForceOption, output_option
from addhash.cli.options.hashing import HashingOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.targets import check_target, refuse_existing
from addhash.cli.output.terminal import say


def idf(
    documents: DocumentsArgument,
    output: Annotated[str, output_option("The file to write the counts to.")],
    force: ForceOption = False,
    *,
    hashing: HashingOptions,
    reading: ReadOptions,
) -> None:
    """Count in how many documents each token occurs.

    Passed to fit, vectorize, search or similarity as --idf, the file gives tokens that occur in few
    documents more weight. Use the same --analyzer, --ngrams and --lowercase there. Memory does not
    grow with the documents.

    Example:

        addhash idf texts.txt -o texts.idf
    """
    check_target(output, [documents])
    refuse_existing(output, force)
    if hashing.idf is not None:
        raise UsageError("--idf is the file that this command writes. Name it with --output.")
    import addhash

    frequencies = addhash.DocumentFrequencies(hashing.make_vectorizer())
    for lot in in_lots(watched(Documents(documents, reading), "Counting")):
        frequencies.learn([document.text for document in lot])
    refuse_existing(output, force)
    save_model(frequencies, output)
    say(f"Wrote {output}: the tokens of {frequencies.n_documents:,} documents.")

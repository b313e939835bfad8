"""One entry point: `python -m training STAGE`, the stages in the order that they run."""

import argparse
from pathlib import Path


def main() -> None:
    arguments = parser().parse_args()
    # Imported late: `export` and `average` need no torch.
    if arguments.stage == "corpus":
        from .corpus import collect

        collect(arguments.sources, arguments.work, arguments.held_out)
    elif arguments.stage == "encode":
        from .encode import encode

        encode(arguments.teacher, arguments.work, arguments.threads)
    elif arguments.stage == "train":
        from .train import RUNS, train

        train(arguments.teacher, arguments.work, RUNS[arguments.run], arguments.threads)
    elif arguments.stage == "average":
        from .table import average_runs

        average_runs(arguments.work)
    else:
        from .table import export

        export(arguments.work, arguments.output)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    stages = result.add_subparsers(dest="stage", required=True)

    def stage(name: str, summary: str) -> argparse.ArgumentParser:
        added = stages.add_parser(name, help=summary, description=summary)
        added.add_argument("--work", type=Path, required=True, help="folder for what stages hand on")
        return added

    def needs_teacher(added: argparse.ArgumentParser) -> None:
        added.add_argument("--teacher", type=Path, required=True,
                           help="folder of all-MiniLM-L6-v2: model.safetensors, tokenizer.json")
        added.add_argument("--threads", type=int, default=1)

    corpus = stage("corpus", "collect the training texts")
    corpus.add_argument("--sources", type=Path, required=True, help="one folder per source")
    corpus.add_argument("--held-out", type=Path, help="texts, one a line, that must not be trained on")
    needs_teacher(stage("encode", "embed the texts with the teacher"))
    train = stage("train", "train the table against the teacher")
    needs_teacher(train)
    train.add_argument("--run", choices=("pairs", "regression"), required=True)
    stage("average", "average the trained tables with their start")
    export = stage("export", "round the table to i8 and write a Model2Vec folder")
    export.add_argument("--output", type=Path, required=True)
    return result


if __name__ == "__main__":
    main()

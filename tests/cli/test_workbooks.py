"""Workbooks that get new columns: every other cell and part of them is as it was."""

import datetime
import io
import struct
import zipfile

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from addhash.cli.errors import CommandError
from addhash.cli.output.sheet_columns import SheetColumns
from tests.cli.program import call, fails, works

SHEET = "xl/worksheets/sheet2.xml"
TEXTS = ["Where is my hat?", "Wo ist mein Hut?", "=1+1 is not a formula here", "Good morning"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    works("demo", "--sample", folder)
    path = folder / "languages.model"
    works("fit", folder / "languages.tsv", "-o", path, "--method", "centroid")
    return path


def make_workbook(path):
    """A workbook with whatever an analyst may have in it."""
    book = openpyxl.Workbook()
    budget = book.active
    budget.title = "Budget"
    budget["A1"] = "do not lose me"
    budget["B2"] = "=Tickets!D2*2"
    budget["B2"].number_format = "#,##0.00"
    tickets = book.create_sheet("Tickets")
    for letter, name in zip("ABCDE", ["id", "text", "received", "cost", "note"], strict=True):
        tickets[f"{letter}3"] = name
        tickets[f"{letter}3"].font = Font(bold=True, color="FFFFFF")
        tickets[f"{letter}3"].fill = PatternFill("solid", fgColor="336699")
    tickets["A1"] = None
    tickets.merge_cells("B1:D1")
    for i, text in enumerate(TEXTS):
        row = 4 + i + (i > 1)
        tickets.cell(row, 1, i)
        tickets.cell(row, 2, text).data_type = "s"
        tickets.cell(row, 3, datetime.datetime(2024, 5, i + 1)).number_format = "dd.mm.yyyy"
        tickets.cell(row, 4, f"=A{row}+1").number_format = "0.00 €"
        # A format beyond the last column, on which a new cell will stand.
        tickets.cell(row, 6).fill = PatternFill("solid", fgColor="FFEEAA")
        tickets.cell(row, 12).fill = PatternFill("solid", fgColor="FFEEAA")
    tickets["E4"].comment = Comment("look here", "Ann")
    tickets.column_dimensions["B"].width = 47.5
    tickets.row_dimensions[3].height = 33
    tickets.freeze_panes = "A4"
    tickets.conditional_formatting.add("D4:D9", CellIsRule(operator="greaterThan", formula=["2"]))
    tickets.add_data_validation(DataValidation(type="list", formula1='"a,b"', sqref="E4:E9"))
    tickets.add_table(Table(displayName="Costs", ref="A3:E8"))
    chart = BarChart()
    chart.add_data(Reference(tickets, min_col=4, min_row=4, max_row=8))
    budget.add_chart(chart, "D4")
    book.defined_names["total"] = DefinedName("total", attr_text="Tickets!$D$4:$D$8")
    book.save(path)


def parts(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def look(cell):
    font, fill = cell.font, cell.fill
    return (cell.value, cell.data_type, cell.number_format, font.b, font.color and font.color.rgb,
            fill.fill_type, fill.fgColor.rgb, cell.comment and cell.comment.text)  # fmt: skip


def check_the_rest_is_unchanged(before, after, sheet="Tickets", width=5, added=3):
    """Compare cell by cell and part by part."""
    old, new = openpyxl.load_workbook(before), openpyxl.load_workbook(after)
    assert new.sheetnames == old.sheetnames
    assert {n: d.attr_text for n, d in new.defined_names.items()} == {
        n: d.attr_text for n, d in old.defined_names.items()
    }
    for name in old.sheetnames:
        a, b = old[name], new[name]
        assert b.merged_cells.ranges == a.merged_cells.ranges
        assert {k: d.width for k, d in b.column_dimensions.items()} == {
            k: d.width for k, d in a.column_dimensions.items()
        }
        assert b.freeze_panes == a.freeze_panes
        for row in a.iter_rows():
            for cell in row:
                if name != sheet or not width < cell.column <= width + added:
                    assert look(b[cell.coordinate]) == look(cell), cell.coordinate
    a, b = parts(before), parts(after)
    assert list(a) == list(b)
    return {name for name in a if a[name] != b[name]}


def predict(model, path, *more):
    works("predict", model, path, "--sheet", "Tickets", *more)


@pytest.mark.parametrize("in_place", [True, False])
def test_only_the_new_columns_are_new(model, tmp_path, in_place):
    before, after = tmp_path / "before.xlsx", tmp_path / "after.xlsx"
    make_workbook(before)
    if in_place:
        after.write_bytes(before.read_bytes())
        predict(model, after, "--in-place")
    else:
        predict(model, before, "-o", after)
    assert check_the_rest_is_unchanged(before, after) == {SHEET}
    sheet = openpyxl.load_workbook(after)["Tickets"]
    assert [sheet.cell(3, c).value for c in (6, 7, 8)] == ["label", "score", "margin"]
    assert [sheet.cell(r, 6).value for r in (4, 5, 8)] == ["English", "German", "English"]
    assert all(isinstance(sheet.cell(r, 7).value, float) for r in (4, 5, 7, 8))
    assert [sheet.cell(6, c).value for c in range(1, 13)] == [None] * 12
    # The names look like the other names, and a format that was there before is kept.
    assert look(sheet["F3"])[2:7] == look(sheet["E3"])[2:7]
    assert sheet["F4"].fill.fgColor.rgb == "00FFEEAA"
    # Read row by row, the new columns are there too.
    output = works("predict", model, after, "--sheet", "Tickets", "--keep-columns", "label",
                   "--labels-only")  # fmt: skip
    assert output.splitlines()[0].split("\t")[0] == "English"


def test_the_new_columns_hold_texts_and_nothing_that_runs(model, tmp_path):
    path = tmp_path / "in.xlsx"
    make_workbook(path)
    works("fit", "-", "--input-format", "csv", "-o", tmp_path / "odd.model", "--labels",
          _lines(tmp_path, ["=1+1", "a<b & c_x0007_\x07"]),
          stdin="text\nWhere is my hat?\nWo ist mein Hut?\n")  # fmt: skip
    predict(tmp_path / "odd.model", path, "-o", tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["Tickets"]
    assert (sheet["F4"].value, sheet["F4"].data_type) == ("=1+1", "s")
    output = works("predict", tmp_path / "odd.model", tmp_path / "out.xlsx", "--sheet", "Tickets",
                   "--keep-columns", "label", "--format", "jsonl")  # fmt: skip
    assert r'"label": "a<b & c_x0007_\u0007"' in output


def _lines(folder, labels):
    path = folder / "labels.txt"
    path.write_text("\n".join(labels) + "\n", encoding="utf-8")
    return path


def test_a_sheet_without_names(model, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Where is my hat?"])
    book.active.append(["Wo ist mein Hut?"])
    book.save(tmp_path / "in.xlsx")
    works("predict", model, tmp_path / "in.xlsx", "--no-header", "--in-place")
    sheet = openpyxl.load_workbook(tmp_path / "in.xlsx").active
    assert [row[:2] for row in sheet.iter_rows(values_only=True)] == [
        ("Where is my hat?", "English"),
        ("Wo ist mein Hut?", "German"),
    ]


def test_rows_or_columns_left_out_make_a_new_workbook(model, tmp_path):
    make_workbook(tmp_path / "in.xlsx")
    for i, more in enumerate((["--where", "id=1"], ["--keep-columns", "id"], ["--labels-only"])):
        predict(model, tmp_path / "in.xlsx", "-o", tmp_path / f"{i}.xlsx", *more)
        assert openpyxl.load_workbook(tmp_path / f"{i}.xlsx").sheetnames == ["addhash"]


def test_languages_go_beside_the_texts_too(tmp_path):
    make_workbook(tmp_path / "in.xlsx")
    works("detect", tmp_path / "in.xlsx", "--sheet", "Tickets", "-o", tmp_path / "out.xlsx",
          "--languages", "en,de")  # fmt: skip
    changed = check_the_rest_is_unchanged(tmp_path / "in.xlsx", tmp_path / "out.xlsx", added=2)
    assert changed == {SHEET}


def test_a_signed_workbook_is_refused(model, tmp_path):
    path = tmp_path / "in.xlsx"
    make_workbook(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("_xmlsignatures/sig1.xml", "<Signature/>")
    before = path.read_bytes()
    message = fails("predict", model, path, "--sheet", "Tickets", "--in-place")
    assert "is signed" in message
    assert "--output" in message
    assert path.read_bytes() == before


def test_a_formula_that_was_never_calculated_is_not_overwritten(model, tmp_path):
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append(["Where is my hat?"])
    book.active["C2"] = "=LEN(A2)"
    book.save(path)
    before = path.read_bytes()
    said = fails("predict", model, path, "--in-place")
    assert "cell C2, where they go, has a formula without a value" in said
    assert path.read_bytes() == before


def test_no_part_has_sizes_of_64_bits(model, tmp_path):
    make_workbook(tmp_path / "in.xlsx")
    predict(model, tmp_path / "in.xlsx", "-o", tmp_path / "out.xlsx")
    data = (tmp_path / "out.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        for entry in archive.infolist():
            # The header in front of the part: spreadsheets read it too.
            head = struct.unpack_from("<4s5H3I2H", data, entry.header_offset)
            version, packed, size, extra = head[1], *head[7:9], head[10]
            assert version < 45
            assert (packed, size, extra) == (entry.compress_size, entry.file_size, 0)


@pytest.mark.parametrize("area", ["B5:H5", "F5:G6", "G4:G9", "A1:Z99"])
def test_merged_cells_where_the_columns_go_are_refused(model, tmp_path, area):
    path = tmp_path / "in.xlsx"
    make_workbook(path)
    book = openpyxl.load_workbook(path)
    book["Tickets"].merged_cells.add(area)
    book.save(path)
    before = path.read_bytes()
    message = fails("predict", model, path, "--sheet", "Tickets", "--in-place")
    assert f"the cells {area}, where some of them go, are merged" in message
    assert path.read_bytes() == before


def test_sheets_that_are_hidden_or_charts_are_not_the_first(model, tmp_path):
    path = tmp_path / "in.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append(["Where is my hat?"])
    hidden = book.create_sheet("Secret", 0)
    hidden.append(["text"])
    hidden.append(["Wo ist mein Hut?"])
    hidden.sheet_state = "hidden"
    chart = BarChart()
    chart.add_data(Reference(hidden, min_col=1, min_row=1, max_row=2))
    book.create_chartsheet("Drawn", 0).add_chart(chart)
    book.save(path)
    works("predict", model, path, "-o", tmp_path / "out.xlsx")
    found = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert found.sheetnames == ["Drawn", "Secret", "Sheet"]
    assert found["Sheet"]["B2"].value == "English"
    assert found["Secret"].max_column == 1
    assert works("predict", model, path, "--sheet", "Secret").split("\t")[1] == "German"
    message = fails("predict", model, path, "--sheet", "Drawn", code=2)
    assert "no sheet 'Drawn'; it has 'Secret', 'Sheet'" in message


def test_macros_are_kept(model, tmp_path):
    plain, path, out = (tmp_path / name for name in ("a.xlsx", "in.xlsm", "out.xlsm"))
    make_workbook(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "[Content_Types].xml":
                data = data.replace(
                    b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                    b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
                )
                assert b"macroEnabled" in data
            new.writestr(name, data)
        new.writestr("xl/vbaProject.bin", b"\xd0\xcf macros")
    predict(model, path, "-o", out)
    assert check_the_rest_is_unchanged(path, out) == {SHEET}
    before = path.read_bytes()
    assert "has macros" in fails("predict", model, path, "--sheet", "Tickets", "-o", plain)
    message = fails(
        "predict", model, path, "-o", out, "--sheet", "Tickets", "--where", "id=1", code=2
    )
    assert "the extension .xlsm is unknown" in message
    assert path.read_bytes() == before
    make_workbook(plain)
    assert "has no macros" in fails("predict", model, plain, "--sheet", "Tickets", "-o", out)
    predict(model, path, "--in-place")
    assert parts(path) == parts(out)


def test_workbooks_with_a_password_are_refused_as_such(model, tmp_path):
    path = tmp_path / "in.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096))
    assert "protected by a password" in fails("predict", model, path, "--in-place")


def test_marks_go_beside_the_texts_too(tmp_path):
    make_workbook(tmp_path / "in.xlsx")
    call("dedupe", tmp_path / "in.xlsx", "--sheet", "Tickets", "--mark", "-o",
         tmp_path / "out.xlsx")  # fmt: skip
    assert check_the_rest_is_unchanged(tmp_path / "in.xlsx", tmp_path / "out.xlsx") == {SHEET}
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["Tickets"]
    assert [sheet.cell(3, c).value for c in (6, 7, 8)] == [
        "cluster",
        "representative",
        "similarity",
    ]
    assert [sheet.cell(r, 6).value for r in (4, 5, 7, 8)] == [1, 2, 3, 4]


def spliced(xml, rows, header=None, width=1):
    """Return the part of a sheet after columns were added."""
    old, new = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(old, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", '<r xmlns="p"><x Type="/officeDocument" Id="1"'
                         ' Target="/xl/workbook.xml"/></r>')  # fmt: skip
        archive.writestr("xl/workbook.xml", '<w xmlns:r="q"><sheet name="S" r:id="r9"/></w>')
        archive.writestr("xl/_rels/workbook.xml.rels", '<r><x Id="r9" Target="s.xml"/></r>')
        archive.writestr("xl/s.xml", xml)
    SheetColumns(old, "S", width, "book", "new.xlsx").write(new, rows, header)
    with zipfile.ZipFile(new) as archive:
        return archive.read("xl/s.xml").decode()


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        # Rows and cells without addresses, which are counted.
        ("<sheetData><row><c/></row></sheetData>",
         '<sheetData><row><c/><c r="B1"><v>7</v></c></row></sheetData>'),
        # Spans would be wrong; a prefix is kept; single quotes.
        ("<x:sheetData><x:row r='1' spans='1:1' ht='9'><x:c r='A1'/></x:row></x:sheetData>",
         "<x:sheetData><x:row r='1' ht='9'><x:c r='A1'/><x:c r=\"B1\"><x:v>7</x:v></x:c></x:row>"
         "</x:sheetData>"),
        # An empty cell with a format is replaced, one further right stays after the new one.
        ('<sheetData><row><c r="A1"/><c r="B1" s="4"><v></v></c> <c r="D1"/></row></sheetData>',
         '<sheetData><row><c r="A1"/><c r="B1" s="4"><v>7</v></c><c r="D1"/></row></sheetData>'),
        # What is not a row of data stays.
        ('<dimension ref="A1:A9"/><sheetData><row r="2"/></sheetData><row r="1"><c r="A1"/></row>',
         '<dimension ref="A1:B9"/><sheetData><row r="2"/></sheetData><row r="1"><c r="A1"/></row>'),
        ('<dimension ref="A1"/><sheetData/>', '<dimension ref="A1:B1"/><sheetData/>'),
    ],
)  # fmt: skip
def test_cells_are_inserted_and_the_rest_is_copied(xml, expected):
    names = ' xmlns:x="main"'
    head = f'<?xml version="1.0"?>\n<!-- a > b --><worksheet{names}>'
    found = spliced(f"{head}{xml}</worksheet>\n", {1: [7]})
    assert found == f"{head}{expected}</worksheet>\n"


def test_a_sheet_in_another_encoding_is_refused():
    xml = "<?xml version='1.0' encoding='UTF-16'?><worksheet><sheetData/></worksheet>"
    with pytest.raises(CommandError, match="UTF-16, not UTF-8"):
        spliced(xml.encode("utf-16"), {1: [7]})


def test_a_sheet_longer_than_a_chunk():
    numbers = range(1, 30_001)
    old = "".join(f'<row r="{i}"><c r="A{i}"><v>{i}</v></c></row>' for i in numbers)
    new = "".join(
        f'<row r="{i}"><c r="A{i}"><v>{i}</v></c><c r="B{i}"><v>{i / 2}</v></c></row>'
        for i in numbers
    )
    sheet = "<worksheet><sheetData>{}</sheetData></worksheet>"
    assert spliced(sheet.format(old), {i: [i / 2] for i in numbers}) == sheet.format(new)

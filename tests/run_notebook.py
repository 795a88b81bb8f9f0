"""run_notebook.py NOTEBOOK: runs the code cells of a notebook in order, as Jupyter does, and says what they show."""
import ast
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4
names = {"__name__": "__main__"}
shown = 0
for number, cell in enumerate(notebook["cells"]):
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]), f"cell {number}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        shown += 1
        print(f"cell {number}: {value!r}")
assert shown, "no cell shows anything"

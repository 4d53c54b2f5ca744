# SPDX-License-Identifier: Apache-2.0
# A page of the tree for where the source is not: links to the source become their text, and one to the
# licence of the frames becomes the path in the data folder.
s/\[([^][]*)\]\((\.\.\/)*(csim|rtl|tb|dpi|vectors|tests\/(scripts|units|programs|lists|fuzz))(\/[^)]*)?\)/\1/g

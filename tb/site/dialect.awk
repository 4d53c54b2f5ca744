# SPDX-License-Identifier: Apache-2.0
# From Markdown as GitHub reads it to what Python-Markdown reads the same: what belongs to an item of a list is
# indented by 4 for each level, not by its mark's width, and a blank line stands where a list begins, and between
# items that have one within.
function leading(line) { match(line, /^ */); return RLENGTH }
function blanks(n) { return n > 0 ? sprintf("%" n "s", "") : "" }

{ indent = leading($0); text = substr($0, indent + 1) }

fence != "" {
  print blanks(indent + shift) text
  if (index(text, fence) == 1) fence = ""
  above = ""
  next
}

text == "" { print; above = ""; next }

{
  mark = match(text, /^([-*+]|[0-9]+\.) +/) ? RLENGTH : 0
  ordered = text ~ /^[0-9]/
  # A line of text may have less indentation than the item that it goes on with.
  if (above != "" && !mark && depth > 0 && indent < content[depth]) {
    print blanks(4 * depth) text
    next
  }
  sibling = 0
  while (depth > 0 && indent < content[depth]) sibling = numbered[depth--]
  if (above == "" && depth > 0) loose[depth] = 1
  left = depth ? content[depth] : 0
  if (indent - left >= 4 && above == "") mark = 0  # code
  if (above == "text" && ordered && text !~ /^1\. / && !sibling) {  # a figure at the start of a line
    mark = 0
    sub(/\./, "\\.", text)
  }
  if (mark && above != "" && (depth == 0 && above == "text" && !listed || loose[depth + 1])) print ""
  shift = 4 * depth - left
  print blanks(indent + shift) text
  above = "text"
  listed = depth > 0 || mark
  if (mark) {
    content[++depth] = indent + mark
    numbered[depth] = ordered
    loose[depth] = 0
  }
  if (match(text, /^(```+|~~~+)/)) fence = substr(text, 1, RLENGTH)
}

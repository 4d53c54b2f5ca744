# SPDX-License-Identifier: Apache-2.0
# A design out of FuseSoC's core files (CAPI2), as FuseSoC puts one together.
#   jq -n --arg core NAME --arg target TARGET -f capi2.jq CORES...    CORES: {folder, core}, a line each
# The core NAME gives the files of TARGET, the cores that it depends on those of their target
# `default`, deepest first. All their targets' parameters become the design's.
# A core of a name that has come before replaces it. A key that CAPI2 lacks is an error.
def known($what; $keys): (keys - $keys) as $more
  | if $more == [] then . else error("\($what): no such key: \($more)") end;
def checked:
  . as $c
  | [.core | known("core"; ["name", "description", "filesets", "targets", "parameters"])
    | .filesets[] | known("fileset"; ["file_type", "files", "depend"])
    | (.files // [])[] | objects | .[]
    | known("file"; ["is_include_file", "include_path", "file_type", "copyto"])] as $_
  | $c;
def check_targets:
  . as $c | .core as $k
  | ([$k.targets[] | known("target"; ["filesets", "toplevel", "parameters", "flow", "flow_options"])
      | ((.filesets - ($k.filesets | keys)) + ((.parameters // []) - (($k.parameters // {}) | keys)))[]
      | error("\($k.name): names \(.), which it lacks")]) as $_
  | ([($k.parameters // {})[] | known("parameter"; ["datatype", "paramtype", "default", "description"])
      | select((.datatype | IN("bool", "int", "str", "real", "file") | not) or .paramtype != "vlogparam")
      | error("\($k.name): a parameter is \(.)")]) as $_
  | $c;

[inputs | checked | check_targets]
| (map({key: .core.name, value: .}) | from_entries) as $db
| def find($name): $db[$name] // error("no core \($name)");
  def filesets($target): . as $c | $c.core.targets[$target].filesets | map($c.core.filesets[.]);
  # Names, each behind what it depends on.
  def order($name; $target):
    find($name) | (filesets($target) | map(.depend // []) | add | map(order(.; "default")) | add // []) + [$name];
  (reduce order($core; $target)[] as $n ([]; if index($n) then . else . + [$n] end)) as $names
| [$names[] as $n | (if $n == $core then $target else "default" end) as $t | find($n) | . as $c
    | (filesets($t)[] | .file_type as $type | (.files // [])[]
        | if type == "object" then to_entries[0] | {path: .key} + .value else {path: .} end
        | {path, file_type: (.file_type // $type), include: (.is_include_file // false), folder: $c.folder,
           include_path: (.include_path // (.path | sub("/?[^/]*$"; ""))), copyto}) as $f
    | $f] as $files
| {files: [$files[] | select(.include | not) | select(.file_type == "systemVerilogSource") | .folder + "/" + .path],
   waivers: [$files[] | select(.file_type == "vlt") | .folder + "/" + .path],
   data: [$files[] | select(.copyto) | {from: (.folder + "/" + .path), to: .copyto}],
   include: ([$files[] | select(.include) | .folder + "/" + .include_path] | unique),
   parameters: ([$names[] as $n | (if $n == $core then $target else "default" end) as $t | find($n)
     | .core as $k | ($k.targets[$t].parameters // [])[] | {key: ., value: $k.parameters[.]}] | from_entries),
   toplevel: (find($core) | .core.targets[$target].toplevel),
   options: (find($core) | .core.targets[$target].flow_options)}

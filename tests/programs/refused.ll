; SPDX-License-Identifier: Apache-2.0
; What the translator does not know or what is broken: a function each, and behind its name what is said.
; refused: uitofp
define i64 @floating(i64 %a, i64 %b, i64 %c) {
  %x = uitofp i64 %a to double
  %r = fptoui double %x to i64
  ret i64 %r
}
; refused: a vector
define i64 @vector(i64 %a, i64 %b, i64 %c) {
  %m = alloca <2 x i64>
  %v = load <2 x i64>, <2 x i64>* %m
  ret i64 %a
}
; refused: ptrtoint
define i64 @address(i64 %a, i64 %b, i64 %c) {
  %m = alloca i64
  %r = ptrtoint i64* %m to i64
  ret i64 %r
}
; refused: atomicrmw
define i64 @atomic(i64 %a, i64 %b, i64 %c) {
  %m = alloca i64
  %r = atomicrmw add i64* %m, i64 %a seq_cst
  ret i64 %r
}
; refused: the function elsewhere
define i64 @unknown(i64 %a, i64 %b, i64 %c) {
  %r = call i64 @elsewhere(i64 %a)
  ret i64 %r
}
declare i64 @elsewhere(i64)
; refused: a jump into a loop
define i64 @irreducible(i64 %a, i64 %b, i64 %c) {
  %l = trunc i64 %a to i1
  br i1 %l, label %x, label %y
x:
  %m = trunc i64 %b to i1
  br i1 %m, label %y, label %end
y:
  br label %x
end:
  ret i64 %c
}
; refused: a recursion
define i64 @recursive(i64 %a, i64 %b, i64 %c) {
  %r = call i64 @recursive(i64 %a, i64 %b, i64 %c)
  ret i64 %r
}
; refused: a pointer read as a number
define i64 @pointer(i64 %a, i64 %b, i64 %c) {
  %m = alloca i64*
  %n = alloca i64
  store i64* %n, i64** %m
  %p = bitcast i64** %m to i64*
  %r = load i64, i64* %p
  ret i64 %r
}
; owed: an access out of bounds
define i64 @bounds(i64 %a, i64 %b, i64 %c) {
  %m = alloca [3 x i64]
  %k = and i64 %a, 3
  %p = getelementptr [3 x i64], [3 x i64]* %m, i64 0, i64 %k
  store i64 1, i64* %p
  ret i64 %b
}
; owed: a division by 0
define i64 @zero(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %q = udiv i4 7, %x
  %r = zext i4 %q to i64
  ret i64 %r
}
; owed: a loop beyond its bound
define i64 @endless(i64 %a, i64 %b, i64 %c) {
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %j, %head ]
  %j = add i64 %i, 1
  %go = icmp ult i64 %j, %a
  br i1 %go, label %head, label %end
end:
  ret i64 %j
}
; owed: what C leaves undefined
define i64 @nowhere(i64 %a, i64 %b, i64 %c) {
  %l = trunc i64 %a to i1
  br i1 %l, label %x, label %y
x:
  unreachable
y:
  ret i64 %b
}

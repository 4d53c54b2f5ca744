; SPDX-License-Identifier: Apache-2.0
; A function for each instruction that the translator knows, of three words: compared with what clang
; makes of it, on random words (tests/programs/prove_instructions.c).

define i64 @add(i64 %a, i64 %b, i64 %c) {
  %r = add i64 %a, %b
  ret i64 %r
}
define i64 @sub(i64 %a, i64 %b, i64 %c) {
  %r = sub i64 %a, %b
  ret i64 %r
}
define i64 @mul(i64 %a, i64 %b, i64 %c) {
  %r = mul i64 %a, %b
  ret i64 %r
}
define i64 @and(i64 %a, i64 %b, i64 %c) {
  %r = and i64 %a, %b
  ret i64 %r
}
define i64 @or(i64 %a, i64 %b, i64 %c) {
  %r = or i64 %a, %b
  ret i64 %r
}
define i64 @xor(i64 %a, i64 %b, i64 %c) {
  %r = xor i64 %a, %b
  ret i64 %r
}
define i64 @shl(i64 %a, i64 %b, i64 %c) {
  %s = and i64 %b, 63
  %r = shl i64 %a, %s
  ret i64 %r
}
define i64 @lshr(i64 %a, i64 %b, i64 %c) {
  %s = and i64 %b, 63
  %r = lshr i64 %a, %s
  ret i64 %r
}
define i64 @ashr(i64 %a, i64 %b, i64 %c) {
  %s = and i64 %b, 63
  %r = ashr i64 %a, %s
  ret i64 %r
}
define i64 @udiv(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i16
  %n = trunc i64 %b to i8
  %m = or i8 %n, 1
  %y = sext i8 %m to i16
  %q = udiv i16 %x, %y
  %r = sext i16 %q to i64
  ret i64 %r
}
define i64 @urem(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i16
  %n = trunc i64 %b to i8
  %m = or i8 %n, 1
  %y = sext i8 %m to i16
  %q = urem i16 %x, %y
  %r = sext i16 %q to i64
  ret i64 %r
}
define i64 @sdiv(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i16
  %n = trunc i64 %b to i8
  %m = or i8 %n, 1
  %y = sext i8 %m to i16
  %q = sdiv i16 %x, %y
  %r = sext i16 %q to i64
  ret i64 %r
}
define i64 @srem(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i16
  %n = trunc i64 %b to i8
  %m = or i8 %n, 1
  %y = sext i8 %m to i16
  %q = srem i16 %x, %y
  %r = sext i16 %q to i64
  ret i64 %r
}
define i64 @divide_by_constant(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i32
  %q = udiv i32 %x, 6
  %m = urem i32 %x, 11
  %s = add i32 %q, %m
  %r = zext i32 %s to i64
  ret i64 %r
}
define i64 @icmp_eq(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp eq i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_ne(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp ne i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_ugt(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp ugt i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_uge(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp uge i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_ult(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp ult i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_ule(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp ule i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_sgt(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp sgt i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_sge(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp sge i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_slt(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp slt i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @icmp_sle(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i4
  %y = trunc i64 %b to i4
  %l = icmp sle i4 %x, %y
  %r = zext i1 %l to i64
  ret i64 %r
}
define i64 @casts(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i13
  %s = sext i13 %x to i64
  %z = zext i13 %x to i128
  %w = zext i64 %b to i128
  %m = mul i128 %z, %w
  %h = lshr i128 %m, 9
  %t = trunc i128 %h to i64
  %r = xor i64 %s, %t
  ret i64 %r
}
define i64 @wide_constant(i64 %a, i64 %b, i64 %c) {
  %z = zext i64 %a to i128
  %x = xor i128 %z, 24197857203266734864793317670504947440
  %h = lshr i128 %x, 60
  %r = trunc i128 %h to i64
  ret i64 %r
}
define i64 @freeze_select(i64 %a, i64 %b, i64 %c) {
  %f = freeze i64 %c
  %l = trunc i64 %f to i1
  %r = select i1 %l, i64 %a, i64 %b
  ret i64 %r
}
define i64 @branch(i64 %a, i64 %b, i64 %c) {
  %l = icmp ult i64 %a, %b
  br i1 %l, label %then, label %else
then:
  %x = add i64 %a, %c
  br label %end
else:
  %y = sub i64 %b, %c
  %z = xor i64 %y, 5
  br label %end
end:
  %r = phi i64 [ %x, %then ], [ %z, %else ]
  ret i64 %r
}
define i64 @switch(i64 %a, i64 %b, i64 %c) {
  %k = and i64 %a, 7
  switch i64 %k, label %other [ i64 0, label %one
                                i64 3, label %two
                                i64 5, label %one ]
one:
  %x = phi i64 [ %b, %0 ], [ %b, %0 ]
  ret i64 %x
two:
  ret i64 %c
other:
  %r = add i64 %k, %b
  ret i64 %r
}
define i64 @loop(i64 %a, i64 %b, i64 %c) {
  %n = and i64 %a, 15
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %j, %body ]
  %s = phi i64 [ %b, %0 ], [ %t, %body ]
  %go = icmp ult i64 %i, %n
  br i1 %go, label %body, label %end
body:
  %u = mul i64 %s, 3
  %t = add i64 %u, %i
  %j = add i64 %i, 1
  br label %head
end:
  ret i64 %s
}
define i64 @loops(i64 %a, i64 %b, i64 %c) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i1, %next ]
  %s = phi i64 [ %a, %0 ], [ %s2, %next ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %step ]
  %s1 = phi i64 [ %s, %outer ], [ %t, %step ]
  %x = lshr i64 %b, %j
  %bit = trunc i64 %x to i1
  br i1 %bit, label %leave, label %step
step:
  %t = add i64 %s1, %c
  %j1 = add i64 %j, 1
  %more = icmp ult i64 %j1, 4
  br i1 %more, label %inner, label %leave
leave:
  %s2 = phi i64 [ %s1, %inner ], [ %t, %step ]
  br label %next
next:
  %i1 = add i64 %i, 1
  %again = icmp ult i64 %i1, 3
  br i1 %again, label %outer, label %end
end:
  ret i64 %s2
}
define i64 @memory(i64 %a, i64 %b, i64 %c) {
  %m = alloca [8 x i64]
  %base = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 0
  %bytes = bitcast [8 x i64]* %m to i8*
  call void @llvm.memset.p0i8.i64(i8* %bytes, i8 85, i64 64, i1 false)
  %i = and i64 %a, 7
  %k = and i64 %b, 7
  %p = getelementptr i64, i64* %base, i64 %i
  store i64 %c, i64* %p
  %q = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 %k
  %r = load i64, i64* %q
  ret i64 %r
}
define i64 @zeros_above(i64 %a, i64 %b, i64 %c) {
  %m = alloca [8 x i64]
  %bytes = bitcast [8 x i64]* %m to i8*
  call void @llvm.memset.p0i8.i64(i8* %bytes, i8 0, i64 64, i1 false)
  %i = and i64 %a, 1
  %k = and i64 %b, 7
  %p = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 %i
  store i64 %c, i64* %p
  %q = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 %k
  %r = load i64, i64* %q
  ret i64 %r
}
define i64 @from_the_middle(i64 %a, i64 %b, i64 %c) {
  %m = alloca [8 x i64]
  %bytes = bitcast [8 x i64]* %m to i8*
  call void @llvm.memset.p0i8.i64(i8* %bytes, i8 85, i64 64, i1 false)
  %i = and i64 %a, 7
  %p = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 %i
  store i64 %c, i64* %p
  %middle = getelementptr [8 x i64], [8 x i64]* %m, i64 0, i64 4
  %k = and i64 %b, 7
  %signed = sub i64 %k, 4
  %q = getelementptr i64, i64* %middle, i64 %signed
  %r = load i64, i64* %q
  ret i64 %r
}
define i64 @two_indexes(i64 %a, i64 %b, i64 %c) {
  %m = alloca [4 x [4 x i64]]
  %bytes = bitcast [4 x [4 x i64]]* %m to i8*
  call void @llvm.memset.p0i8.i64(i8* %bytes, i8 0, i64 128, i1 false)
  %i = and i64 %a, 1
  %j = and i64 %b, 3
  %p = getelementptr [4 x [4 x i64]], [4 x [4 x i64]]* %m, i64 0, i64 %i, i64 %j
  store i64 %c, i64* %p
  %k = and i64 %b, 3
  %n = lshr i64 %c, 62
  %q = getelementptr [4 x [4 x i64]], [4 x [4 x i64]]* %m, i64 0, i64 %k, i64 %n
  %r = load i64, i64* %q
  ret i64 %r
}
%pair = type { i8, i32, [4 x i16] }
define i64 @struct(i64 %a, i64 %b, i64 %c) {
  %m = alloca %pair, i32 2
  %n = alloca %pair
  %mb = bitcast %pair* %m to i8*
  %nb = bitcast %pair* %n to i8*
  call void @llvm.memset.p0i8.i64(i8* %mb, i8 0, i64 32, i1 false)
  %k = and i64 %a, 1
  %j = and i64 %b, 3
  %p = getelementptr %pair, %pair* %m, i64 %k, i32 2, i64 %j
  %s = trunc i64 %c to i16
  store i16 %s, i16* %p
  %f = getelementptr %pair, %pair* %m, i64 1, i32 1
  store i32 77, i32* %f
  %src = getelementptr %pair, %pair* %m, i64 1
  %sb = bitcast %pair* %src to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %nb, i8* %sb, i64 16, i1 false)
  %q = getelementptr %pair, %pair* %n, i64 0, i32 2, i64 2
  %x = load i16, i16* %q
  %g = getelementptr %pair, %pair* %n, i64 0, i32 1
  %y = load i32, i32* %g
  %x1 = zext i16 %x to i64
  %y1 = zext i32 %y to i64
  %r = mul i64 %x1, %y1
  ret i64 %r
}
@table = private constant [4 x i32] [i32 7, i32 1000, i32 -3, i32 12]
define i64 @constant_table(i64 %a, i64 %b, i64 %c) {
  %k = and i64 %a, 3
  %p = getelementptr [4 x i32], [4 x i32]* @table, i64 0, i64 %k
  %x = load i32, i32* %p
  %r = sext i32 %x to i64
  ret i64 %r
}
define internal i64 @twice(i64 %x) {
  %r = shl i64 %x, 1
  ret i64 %r
}
define internal i64 @inverse(i64 %x) {
  %r = xor i64 %x, -1
  ret i64 %r
}
define i64 @calls(i64 %a, i64 %b, i64 %c) {
  %l = trunc i64 %b to i1
  %f = select i1 %l, i64 (i64)* @twice, i64 (i64)* @inverse
  %x = call i64 %f(i64 %a)
  %r = call i64 @twice(i64 %x)
  ret i64 %r
}
define i64 @by_value(i64 %a, i64 %b, i64 %c) {
  %m = alloca %pair
  %f = getelementptr %pair, %pair* %m, i64 0, i32 1
  %x = trunc i64 %a to i32
  store i32 %x, i32* %f
  %y = call i64 @changes(%pair* byval(%pair) %m)
  %z = load i32, i32* %f
  %w = zext i32 %z to i64
  %r = add i64 %y, %w
  ret i64 %r
}
define internal i64 @changes(%pair* byval(%pair) %p) {
  %f = getelementptr %pair, %pair* %p, i64 0, i32 1
  store i32 9, i32* %f
  ret i64 4
}
define i64 @groups(i64 %a, i64 %b, i64 %c) {
  %g = insertvalue { i64, { i32, i64 } } undef, i64 %a, 0
  %h = insertvalue { i64, { i32, i64 } } %g, i64 %b, 1, 1
  %l = trunc i64 %c to i1
  %k = select i1 %l, { i64, { i32, i64 } } %h, { i64, { i32, i64 } } zeroinitializer
  %x = extractvalue { i64, { i32, i64 } } %k, 1, 1
  %y = extractvalue { i64, { i32, i64 } } %k, 0
  %r = sub i64 %x, %y
  ret i64 %r
}
define i64 @pointers(i64 %a, i64 %b, i64 %c) {
  %x = alloca i64
  %y = alloca i64
  %keep = alloca i64*
  store i64 %a, i64* %x
  store i64 %b, i64* %y
  %l = trunc i64 %c to i1
  %p = select i1 %l, i64* %x, i64* %y
  store i64* %p, i64** %keep
  %q = load i64*, i64** %keep
  store i64 1, i64* %q
  %same = icmp eq i64* %q, %x
  %s = zext i1 %same to i64
  %u = load i64, i64* %x
  %v = load i64, i64* %y
  %w = shl i64 %u, %s
  %r = add i64 %w, %v
  ret i64 %r
}
define i64 @allocated(i64 %a, i64 %b, i64 %c) {
  %m = call i8* @calloc(i64 2, i64 8)
  %p = bitcast i8* %m to i64*
  store i64 %a, i64* %p
  %n = getelementptr i64, i64* %p, i64 1
  %x = load i64, i64* %n
  %y = load i64, i64* %p
  %r = add i64 %x, %y
  call void @free(i8* %m)
  ret i64 %r
}
define i64 @compared(i64 %a, i64 %b, i64 %c) {
  %m = alloca [2 x i8]
  %n = alloca [2 x i8]
  %mb = bitcast [2 x i8]* %m to i16*
  %nb = bitcast [2 x i8]* %n to i16*
  %x = trunc i64 %a to i3
  %y = trunc i64 %b to i3
  %x1 = zext i3 %x to i16
  %y1 = zext i3 %y to i16
  store i16 %x1, i16* %mb
  store i16 %y1, i16* %nb
  %mp = bitcast [2 x i8]* %m to i8*
  %np = bitcast [2 x i8]* %n to i8*
  %d = call i32 @memcmp(i8* %mp, i8* %np, i64 2)
  %e = icmp eq i32 %d, 0
  %r = zext i1 %e to i64
  ret i64 %r
}
define i64 @shuffled(i64 %a, i64 %b, i64 %c) {
  %o = call i64 @llvm.ctpop.i64(i64 %a)
  %t = call i64 @llvm.cttz.i64(i64 %b, i1 false)
  %z = call i64 @llvm.ctlz.i64(i64 %c, i1 false)
  %s = call i64 @llvm.bswap.i64(i64 %a)
  %x = mul i64 %o, %t
  %y = add i64 %x, %z
  %r = xor i64 %y, %s
  ret i64 %r
}
define i64 @rotated(i64 %a, i64 %b, i64 %c) {
  %l = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %c)
  %m = call i64 @llvm.fshr.i64(i64 %a, i64 %b, i64 %c)
  %r = sub i64 %l, %m
  ret i64 %r
}
define i64 @umin(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %z = call i8 @llvm.umin.i8(i8 %x, i8 %y)
  %r = sext i8 %z to i64
  ret i64 %r
}
define i64 @umax(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %z = call i8 @llvm.umax.i8(i8 %x, i8 %y)
  %r = sext i8 %z to i64
  ret i64 %r
}
define i64 @smin(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %z = call i8 @llvm.smin.i8(i8 %x, i8 %y)
  %r = sext i8 %z to i64
  ret i64 %r
}
define i64 @smax(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %z = call i8 @llvm.smax.i8(i8 %x, i8 %y)
  %r = sext i8 %z to i64
  ret i64 %r
}
define i64 @usub_sat(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %y = trunc i64 %b to i8
  %z = call i8 @llvm.usub.sat.i8(i8 %x, i8 %y)
  %r = sext i8 %z to i64
  ret i64 %r
}
define i64 @abs(i64 %a, i64 %b, i64 %c) {
  %x = trunc i64 %a to i8
  %z = call i8 @llvm.abs.i8(i8 %x, i1 false)
  %r = sext i8 %z to i64
  ret i64 %r
}
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.bswap.i64(i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare i8 @llvm.abs.i8(i8, i1)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.umax.i8(i8, i8)
declare i8 @llvm.smin.i8(i8, i8)
declare i8 @llvm.smax.i8(i8, i8)
declare i8 @llvm.usub.sat.i8(i8, i8)
declare i8* @calloc(i64, i64)
declare void @free(i8*)
declare i32 @memcmp(i8*, i8*, i64)

define i64 @two_ends(i64 %a, i64 %b, i64 %c) {
  %odd = trunc i64 %a to i1
  br i1 %odd, label %first, label %second
first:
  ret i64 %b
second:
  ret i64 %c
}

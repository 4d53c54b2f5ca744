# SPDX-License-Identifier: Apache-2.0
# A wrong line for tests and pictures: the lookahead scheduler grants a pair that it has granted before.
s/^        ~granted & ~(odd /        ~Self \& ~(odd /

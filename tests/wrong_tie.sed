# SPDX-License-Identifier: Apache-2.0
# A wrong line for tests and pictures: of equal GPUs the draw scheduler's choice takes the later one.
s/(tree_key\[\(Children\*i+[ab]\)\] < /(tree_key[\1] <= /

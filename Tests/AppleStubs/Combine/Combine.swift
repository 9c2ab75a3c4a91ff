// SPDX-License-Identifier: Apache-2.0

// Combine: OpenCombine has its declarations under their names.

@_exported public import OpenCombine
@_exported public import OpenCombineDispatch

// SPDX-License-Identifier: Apache-2.0

// Rules O1 to O3: pairs that create and erase objects. O1, CreateObject × CreateObject, does
// nothing: creating is idempotent.

extension MergeRules {
  /// O2. EraseObject × CreateObject, same object: CreateObject is discarded.
  static func eraseObject(_ erase: MergeStep, createObject create: inout MergeStep) {
    if erase.object == create.object { create.discard() }
  }

  /// O3. EraseObject × EraseObject, same object: the later one stays.
  static func eraseObjects(_ left: inout MergeStep, _ right: inout MergeStep) {
    if left.object == right.object { discardEarlier(&left, &right) }
  }
}

// SPDX-License-Identifier: Apache-2.0

// Elements of lists and sets in the form in which values are compared.

package import RealmStorage

extension ListView {
  /// Element `index` as a value; views in it are valid as `Row.stringBytes(_:)` says.
  package func mixedValue(at index: Int) throws(StorageError) -> MixedValue {
    try mixedValue(atStored: try storedIndex(index))
  }

  /// The element that is stored at `stored`, hidden ones included.
  package func mixedValue(atStored stored: Int) throws(StorageError) -> MixedValue {
    try column.visitElements(MixedElementVisitor(view: self, index: stored))
  }
}

private struct MixedElementVisitor: ElementVisitor {
  let view: ListView
  let index: Int

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> MixedValue {
    C.mixed(
      try BTree<C.L>.value(at: index, of: view.root, in: view.space),
      target: view.column.targetTable ?? .null)
  }
}

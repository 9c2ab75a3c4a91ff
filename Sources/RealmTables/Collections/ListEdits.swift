// SPDX-License-Identifier: Apache-2.0

// The edits of a list, written once for all element types.

import RealmStorage

struct ListInsertion: ElementVisitor {
  let value: TableValue
  let index: Int
  /// Null if the list never had an element.
  let root: Ref
  let allocator: NodeAllocator

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Ref {
    let tree = root.isNull ? try BTree<C.L>.make(in: allocator) : root
    return try C.encode(value, in: allocator) { (element) throws(StorageError) -> Ref in
      try BTree<C.L>.insert(element, at: index, in: tree, allocator)
    }
  }
}

struct ListReplacement: ElementVisitor {
  let value: TableValue
  let index: Int
  let root: Ref
  let allocator: NodeAllocator

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Ref {
    try C.encode(value, in: allocator) { (element) throws(StorageError) -> Ref in
      try BTree<C.L>.set(element, at: index, in: root, allocator)
    }
  }
}

struct ListRemoval: ElementVisitor {
  let index: Int
  let root: Ref
  let allocator: NodeAllocator

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Ref {
    try BTree<C.L>.remove(at: index, from: root, allocator)
  }
}

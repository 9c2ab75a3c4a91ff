// SPDX-License-Identifier: Apache-2.0

// Choosing the leaf that holds a column's values at run time.

import RealmStorage

/// An operation that is written once for all leaves.
protocol LeafVisitor {
  associatedtype Output
  func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> Output
}

extension LeafKind {
  /// Runs `visitor` with the leaf of that kind.
  @inline(__always)
  func visit<V: LeafVisitor>(_ visitor: V) throws(StorageError) -> V.Output {
    switch self {
    case .int, .enumeratedString: try visitor.visit(IntegerLeaf.self)
    case .nullableInt: try visitor.visit(NullableIntegerLeaf.self)
    case .bool: try visitor.visit(BoolLeaf.self)
    case .float: try visitor.visit(FloatLeaf.self)
    case .double: try visitor.visit(DoubleLeaf.self)
    case .string: try visitor.visit(StringLeaf.self)
    case .binary: try visitor.visit(BinaryLeaf.self)
    case .timestamp: try visitor.visit(TimestampLeaf.self)
    case .decimal: try visitor.visit(DecimalLeaf.self)
    case .objectId: try visitor.visit(ObjectIdLeaf.self)
    case .uuid: try visitor.visit(UUIDLeaf.self)
    case .link: try visitor.visit(LinkLeaf.self)
    case .typedLink: try visitor.visit(TypedLinkLeaf.self)
    case .mixed: try visitor.visit(MixedLeaf.self)
    case .backlink: try visitor.visit(BacklinkLeaf.self)
    case .collection: try visitor.visit(RefLeaf.self)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

// The protocol of element types that wrap objects: projections.

/// An element type whose instances wrap objects of a class of their own: a projection.
protocol ObjectWrapping {
  /// The class of the objects.
  static var rootClass: ObjectBase.Type { get }
}

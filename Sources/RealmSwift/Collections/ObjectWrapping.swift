// SPDX-License-Identifier: Apache-2.0

// Elements that are views of objects.

/// An element type whose instances show objects of another class: a projection.
protocol ObjectWrapping {
  /// The class of the objects.
  static var rootClass: ObjectBase.Type { get }
}

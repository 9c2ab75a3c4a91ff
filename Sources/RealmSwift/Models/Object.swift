// SPDX-License-Identifier: Apache-2.0

// The public classes that models inherit from.

/// A model: declare a subclass with `@Persisted` properties, and its objects can be stored.
///
/// ```swift
/// class Todo: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var name: String
/// }
/// ```
open class Object: ObjectBase {}

/// A model whose objects are part of exactly one parent object, and are deleted with it.
open class EmbeddedObject: ObjectBase {}

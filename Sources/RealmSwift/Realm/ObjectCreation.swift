// SPDX-License-Identifier: Apache-2.0

// The state of adding and creating objects, which goes from an object to those that it links to.

/// The objects that are being added or copied in one realm, and by which rules.
struct ObjectCreation {
  /// The policy for linked objects that the realm does not have yet.
  var policy = Realm.UpdatePolicy.error
  /// The objects that are being copied, and their copies.
  var copies: [CopiedObject: ObjectBase] = [:]
  /// The embedded objects and nested collections that are being copied.
  let walk = OwnedWalk()
  /// Whether unmanaged objects that are linked to are copied, instead of becoming managed.
  var copiesLinks = false
}

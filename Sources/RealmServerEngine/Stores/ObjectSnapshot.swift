// SPDX-License-Identifier: Apache-2.0

// The objects of one version.

package import RealmTables

/// The objects of a realm at a version, unchanged while this is held.
package struct ObjectSnapshot: Sendable {
  package let head: RealmHead
  package let objects: TableGroup

  package init(head: RealmHead, objects: TableGroup) {
    self.head = head
    self.objects = objects
  }
}

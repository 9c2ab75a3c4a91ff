// SPDX-License-Identifier: Apache-2.0

// The classes of each age, and what they have in common.

import RealmSwift

/// An item by the names of the model; what its age cannot hold is nil and is not set.
protocol LifeItem: Object {
  associatedtype Holder: Object
  var id: Int { get set }
  var kind: Int { get set }
  var name: String? { get set }
  var level: Int? { get set }
  var load: Double? { get set }
  var owner: Holder? { get set }
}

protocol LifeHolder: Object {
  associatedtype Item: LifeItem
  var id: Int { get set }
  var items: List<Item> { get }
  var numbers: List<Int> { get }
  var tags: MutableSet<String> { get }
  var marks: Map<String, Int> { get }
  var owned: LinkingObjects<Item> { get }
}

protocol LifeNote: Object {
  associatedtype Item: LifeItem
  var number: Int { get set }
  var item: Item? { get set }
}

/// The classes of one age.
protocol LifeShape: SendableMetatype {
  associatedtype Holder: LifeHolder where Holder.Item == Item
  associatedtype Item: LifeItem where Item.Holder == Holder
  associatedtype Note: LifeNote where Note.Item == Item
  static var age: LifeAge { get }
}

enum FirstLife: LifeShape {
  static var age: LifeAge { .first }

  class Item: Object, LifeItem {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var rank: Int
    @Persisted(indexed: true) var kind: Int
    @Persisted var owner: Holder?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    var name: String? {
      get { title }
      set { title = newValue ?? "" }
    }
    var level: Int? {
      get { rank }
      set { rank = newValue ?? 0 }
    }
    var load: Double? {
      get { nil }
      set {}
    }
  }

  class Holder: Object, LifeHolder {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var items: List<Item>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var marks: Map<String, Int>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<Item>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Note: Object, LifeNote {
    @Persisted var number: Int
    @Persisted var item: Item?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

enum SecondLife: LifeShape {
  static var age: LifeAge { .second }

  class Item: Object, LifeItem {
    @Persisted var weight: Double?
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var label: String
    /// Empty for none.
    @Persisted var rank: String
    @Persisted var kind: Int
    @Persisted var owner: Holder?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    var name: String? {
      get { label }
      set { label = newValue ?? "" }
    }
    var level: Int? {
      get { Int(rank) }
      set { rank = newValue.map { "\($0)" } ?? "" }
    }
    var load: Double? {
      get { weight }
      set { weight = newValue }
    }
  }

  class Holder: Object, LifeHolder {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var items: List<Item>
    @Persisted var marks: Map<String, Int>
    @Persisted var tags: MutableSet<String>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<Item>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Not among the classes of the age.
  class Note: Object, LifeNote {
    @Persisted var number: Int
    @Persisted var item: Item?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

enum ThirdLife: LifeShape {
  static var age: LifeAge { .third }

  class Item: Object, LifeItem {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String?
    @Persisted var owner: Holder?
    @Persisted var rank: Int?
    @Persisted var kind: Int
    @Persisted var weight: Double?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    var name: String? {
      get { title }
      set { title = newValue }
    }
    var level: Int? {
      get { rank }
      set { rank = newValue }
    }
    var load: Double? {
      get { weight }
      set { weight = newValue }
    }
  }

  class Holder: Object, LifeHolder {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var items: List<Item>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var marks: Map<String, Int>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<Item>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Note: Object, LifeNote {
    @Persisted(indexed: true) var number: Int
    @Persisted var item: Item?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

// SPDX-License-Identifier: Apache-2.0

// Views of an app: each use of what is for SwiftUI alone, as an app writes it.

import Combine
import Foundation
import RealmSwift
import SwiftUI

final class Dog: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name: String
  @Persisted var breed: String
  @Persisted var isGood: Bool
  @Persisted var age: Int
  @Persisted var toys: RealmSwift.List<String>
  @Persisted var friends: RealmSwift.List<Dog>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var byPlace: Map<String, Dog?>
  @Persisted var kennel: Kennel?
}

final class Kennel: EmbeddedObject, ObjectKeyIdentifiable {
  @Persisted var place: String
}

final class DogCard: Projection<Dog>, ObjectKeyIdentifiable {
  @Projected(\Dog.name) var title
}

struct Dogs: View {
  @ObservedResults(Dog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
  @ObservedResults(Dog.self, where: { $0.isGood && $0.age > 3 }) var good
  @ObservedResults(Dog.self, filter: NSPredicate(value: true), keyPaths: ["name"]) var filtered
  @ObservedResults(DogCard.self, sortDescriptor: SortDescriptor(keyPath: "name")) var cards
  @State private var text = ""

  var body: some View {
    ForEach(dogs) { dog in DogRow(dog: dog) }.onDelete(perform: $dogs.remove)
    ForEach(good) { dog in Text(dog.name) }.onDelete(perform: $good.remove(atOffsets:))
    ForEach(cards) { card in CardRow(card: card) }.onDelete(perform: $cards.remove)
    Button("Add") { $dogs.append(Dog()) }
    Button("Remove") { if let dog = dogs.first { $dogs.remove(dog) } }
    Button("Good ones") { $dogs.where = { $0.isGood } }
    Button("Old ones") { $dogs.filter = NSPredicate(value: false) }
    Button("By age") { $dogs.sortDescriptor = SortDescriptor(keyPath: \Dog.age) }
    Button("By place") { $dogs.sortDescriptor = nil }
  }

  var searched: some View {
    Text("Dogs").searchable(text: $text, collection: $dogs, keyPath: \.name)
  }

  var prompted: some View {
    Text("Dogs").searchable(text: $text, collection: $dogs, keyPath: \.name, prompt: "Name") {
      Text("Rex")
    }
  }
}

struct DogRow: View {
  @ObservedRealmObject var dog: Dog

  var body: some View {
    TextField("Name", text: $dog.name)
    Toggle("Good", isOn: $dog.isGood)
    Text(dog.wasCalled)
    ForEach(dog.friends) { friend in Text(friend.name) }
      .onDelete(perform: $dog.friends.remove)
      .onMove(perform: $dog.friends.move)
    Button("Toy") { $dog.toys.append("bone") }
    Button("Friend") { $dog.friends.append(Dog()) }
    Button("Tag") { $dog.tags.insert("tag") }
    Button("No tag") { $dog.tags.remove("tag") }
    Button("Score") { $dog.scores.set(object: 3, for: "park") }
    Button("Place") { $dog.byPlace.set(object: Dog(), for: "park") }
    Button("Delete") { $dog.delete() }
    Button("Whole") { $dog.wrappedValue = dog }
  }
}

extension Dog {
  var wasCalled: String { name }
}

struct CardRow: View {
  @ObservedRealmObject var card: DogCard

  var body: some View { TextField("Title", text: $card.title) }
}

struct NewDog: View {
  @StateRealmObject var dog = Dog()
  @StateRealmObject var friends = RealmSwift.List<Dog>()
  @ObservedRealmObject var others: RealmSwift.List<Dog>
  @ObservedRealmObject var scores: Map<String, Int>

  var body: some View {
    TextField("Name", text: $dog.name)
    TextField("Breed", text: dog.bind(\.breed))
    Button("Friend") { $friends.append(dog) }
    Button("Other") { $others.append(dog) }
    Button("None") { $others.remove(at: 0) }
    Button("Toy") { $dog.toys.append("bone") }
    Button("Score") { $scores.set(object: $scores["park"], for: "square") }
    Button("Delete") { $dog.delete() }
    Kennels(kennel: $dog.kennel)
  }
}

struct Kennels: View {
  @Binding var kennel: Kennel?

  var body: some View { Text(kennel?.place ?? "") }
}

struct Breeds: View {
  @ObservedSectionedResults(Dog.self, sectionKeyPath: \.breed) var breeds
  @ObservedSectionedResults(
    Dog.self, sectionBlock: { String($0.name.prefix(1)) },
    sortDescriptors: [SortDescriptor(keyPath: "name")], where: { $0.isGood }) var initials
  @ObservedSectionedResults(DogCard.self, sectionKeyPath: \.title) var cards
  @State private var text = ""

  var body: some View {
    ForEach(breeds) { breed in
      ForEach(breed) { dog in Text(dog.name) }
        .onDelete { $breeds.remove(atOffsets: $0, section: breed) }
    }
    Button("Good ones") { $initials.where = { $0.isGood } }
    Button("All") { $initials.filter = nil }
    Button("Reverse") {
      $initials.sortDescriptors = [SortDescriptor(keyPath: "name", ascending: false)]
    }
    ForEach(cards) { section in Text(section.key) }
      .searchable(text: $text, collection: $breeds, keyPath: \.name, prompt: Text("Name"))
  }
}

struct Opening: View {
  @AsyncOpen(appId: "kennel", partitionValue: "team") var opening
  @AutoOpen(appId: "kennel", timeout: 3_000) var usual
  @AsyncOpen(configuration: Realm.Configuration()) var other

  var body: some View {
    switch opening {
    case .connecting, .waitingForUser: Text("Please wait")
    case .progress(let progress): Text("\(progress.fractionCompleted)")
    case .open(let realm): Dogs().environment(\.realm, realm)
    case .error(let error): Text(error.localizedDescription)
    }
    Button("Cancel") { $usual.first().sink { _ in }.cancel() }
  }
}

struct Start: View {
  @Environment(\.realm) var realm
  @Environment(\.realmConfiguration) var configuration
  @Environment(\.partitionValue) var partition

  var body: some View {
    Dogs().environment(\.realmConfiguration, configuration).environment(\.realm, realm)
      .environment(\.partitionValue, "team")
  }
}

// SPDX-License-Identifier: Apache-2.0

// The conflicts that the program shows.

extension Conflict {
  /// What both devices have before they go offline.
  static func makeTrip(_ editor: TripEditor) throws {
    let trip = try editor.trip
    try trip.set("title", "Trip")
    try trip.set("seats", 4)
    for name in ["boots", "map", "torch"] { try trip.list("packing").append(name) }
    for name in ["Basel", "Davos"] { try trip.list("route").append(name) }
    for name in ["book", "cook"] { try trip.list("chores").append(name) }
    for name in ["hiking", "cheap"] { try trip.members("tags").insert(name) }
    try trip.entries("costs").set("train", 90)
    for name in ["first hotel", "last hotel"] {
      let hotel = try trip.makePart(name)
      try hotel.set("name", "Post")
      try hotel.set("room", "7")
    }
    for name in ["Ann", "Ben", "Cleo", "Finn"] {
      let person = try editor.person(name)
      try person.set("name", name)
      if name != "Finn" { try trip.list("guests").append(person) }
    }
    try trip.link("leader", to: editor.person("Ann"))
  }

  static let all = values + collections + parts + objects

  private static let values = [
    Conflict(
      title: "Both assign one property",
      a: Change(at: 5, "sets the title") { try $0.trip.set("title", "Alps by train") },
      b: Change(at: 3, "sets the title") { try $0.trip.set("title", "Alps by bus") },
      merged: "Alps by train",
      rule: "The later time wins: A wrote at 10:05, B at 10:03.",
      shown: { try $0.trip("title") }),
    Conflict(
      title: "Both add to a counter",
      a: Change(at: 6, "adds 2") { try $0.trip.add(2, to: "seats") },
      b: Change(at: 8, "takes 1 away") { try $0.trip.add(-1, to: "seats") },
      merged: "5",
      rule: "Counters add: 4 + 2 - 1. Both changes count, in any order.",
      shown: { try $0.trip("seats") }),
  ]

  private static let collections = [
    Conflict(
      title: "Both change a list, in different positions",
      a: Change(at: 10, "inserts \"tent\" at the beginning") {
        try $0.trip.list("packing").insert("tent", at: 0)
      },
      b: Change(at: 11, "removes \"map\", replaces \"torch\"") {
        let list = try $0.trip.list("packing")
        try list.remove(at: 1)
        try list.replace(at: 1, by: "lamp")
      },
      merged: "tent, boots, lamp",
      rule: "List positions shift: what B did to positions 1 and 2 is done one position further"
        + " down, after A's \"tent\".",
      shown: { try $0.trip("packing") }),
    Conflict(
      title: "Both insert into a list at one position",
      a: Change(at: 15, "inserts \"Chur\" in the middle") {
        try $0.trip.list("route").insert("Chur", at: 1)
      },
      b: Change(at: 13, "inserts \"Bern\" in the middle") {
        try $0.trip.list("route").insert("Bern", at: 1)
      },
      merged: "Basel, Bern, Chur, Davos",
      rule: "Nothing is lost. The earlier element comes first: B inserted at 10:13.",
      shown: { try $0.trip("route") }),
    Conflict(
      title: "One removes an element that the other replaces",
      a: Change(at: 16, "removes \"cook\"") { try $0.trip.list("chores").remove(at: 1) },
      b: Change(at: 18, "replaces \"cook\" by \"bake\"") {
        try $0.trip.list("chores").replace(at: 1, by: "bake")
      },
      merged: "book",
      rule: "Deletions win, whatever the time: the element of B's change is gone.",
      shown: { try $0.trip("chores") }),
    Conflict(
      title: "Both change a map",
      a: Change(at: 20, "sets \"train\" to 80, adds \"food\"") {
        let costs = try $0.trip.entries("costs")
        try costs.set("train", 80)
        try costs.set("food", 40)
      },
      b: Change(at: 22, "sets \"train\" to 95, adds \"beds\"") {
        let costs = try $0.trip.entries("costs")
        try costs.set("train", 95)
        try costs.set("beds", 200)
      },
      merged: "beds 200, food 40, train 95",
      rule: "Each key is a value of its own. For \"train\" the later time wins: B at 10:22.",
      shown: { try $0.trip("costs") }),
    Conflict(
      title: "Both change a set",
      a: Change(at: 25, "adds \"snow\", removes \"cheap\"") {
        try $0.trip.members("tags").insert("snow")
        try $0.trip.members("tags").remove("cheap")
      },
      b: Change(at: 24, "adds \"snow\" and \"family\"") {
        try $0.trip.members("tags").insert("snow")
        try $0.trip.members("tags").insert("family")
      },
      merged: "family, hiking, snow",
      rule: "Each value is in the set once, however often it was added.",
      shown: { try $0.trip("tags") }),
  ]

  private static let parts = [
    Conflict(
      title: "Both change one embedded object",
      a: Change(at: 30, "sets its name") {
        try $0.trip.part("first hotel").set("name", "Krone")
      },
      b: Change(at: 31, "sets its room") { try $0.trip.part("first hotel").set("room", "12") },
      merged: "Krone 12",
      rule: "Embedded objects merge property by property, as others do.",
      shown: { try $0.trip("first hotel") }),
    Conflict(
      title: "One replaces an embedded object that the other changes",
      a: Change(at: 34, "makes another one") {
        let hotel = try $0.trip.makePart("last hotel")
        try hotel.set("name", "Adler")
        try hotel.set("room", "3")
      },
      b: Change(at: 33, "sets its room") { try $0.trip.part("last hotel").set("room", "21") },
      merged: "Adler 3",
      rule: "The new object is A's. The one that B changed is gone, and B's change with it.",
      shown: { try $0.trip("last hotel") }),
  ]

  private static let objects = [
    Conflict(
      title: "Both set a link",
      a: Change(at: 40, "makes Ben the leader") {
        try $0.trip.link("leader", to: $0.person("Ben"))
      },
      b: Change(at: 41, "makes Cleo the leader") {
        try $0.trip.link("leader", to: $0.person("Cleo"))
      },
      merged: "Cleo",
      rule: "A link is a value: the later time wins, B at 10:41.",
      shown: { try $0.trip("leader") }),
    Conflict(
      title: "One deletes an object that the other changes",
      a: Change(at: 44, "deletes Finn") { try $0.delete($0.person("Finn")) },
      b: Change(at: 45, "sets Finn's phone") { try $0.person("Finn").set("phone", "555") },
      merged: "deleted",
      rule: "Deletions win: what B wrote later goes with the object.",
      shown: { try $0.person("Finn", "phone") }),
    Conflict(
      title: "One deletes an object, the other links to it once more",
      a: Change(at: 46, "deletes Ann") { try $0.delete($0.person("Ann")) },
      b: Change(at: 47, "adds Ann at the end") {
        try $0.trip.list("guests").append($0.person("Ann"))
      },
      merged: "Ben, Cleo",
      rule: "Deletions win. Links to an object that is gone are not shown.",
      shown: { try $0.trip("guests") }),
    Conflict(
      title: "Both create an object with one primary key",
      a: Change(at: 50, "creates Dora, with a phone") {
        let person = try $0.person("Dora")
        try person.set("name", "Dora")
        try person.set("phone", "777")
      },
      b: Change(at: 52, "creates Dora, with a name only") {
        try $0.person("Dora").set("name", "Dora B.")
      },
      merged: "Dora B., phone 777",
      rule: "It is one object. Its properties merge one by one; the name is B's, which is later.",
      shown: { reader in
        let name = try reader.person("Dora", "name")
        return name == "deleted"
          ? "not there" : "\(name), phone \(try reader.person("Dora", "phone"))"
      }),
  ]
}

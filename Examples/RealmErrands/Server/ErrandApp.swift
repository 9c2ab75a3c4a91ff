// SPDX-License-Identifier: Apache-2.0

// The app of the errands: its rules and its code.

#if Server
import ErrandModels
import RealmServerKit
import RealmSwift

/// The app as the server has it.
enum ErrandApp {
  static let id = "errands"

  /// - Parameter word: The word with which a person of the household logs in.
  static func definition(word: String) -> AppDefinition {
    var settings = AppSettings()
    settings.logIns = []
    settings.rules = .roles(
      ClassRoles(
        Errand.self,
        AccessRole("household")
          .reading(where: .property(\Errand.isPublic).equals(true))
          .writing(where: .property(\Errand.owner).equals(.userID))
          .inserting().deleting()))
    var app = AppDefinition(id, settings: settings, classes: [Errand.self])

    app.logIn { (ticket: Ticket) in
      ticket.word == word
        ? LogInProof(id: ticket.name, data: ["name": .string(ticket.name)]) : nil
    }

    app.function("summary") { (call) -> Summary in
      let errands = call.collection(ofUser: Errand.self)
      return Summary(
        open: try await errands.count(filter: ["isDone": false]),
        done: try await errands.count(filter: ["isDone": true]))
    }

    app.function("tidy") { (call, isForAll: Bool?) -> Int in
      var filter: Document = ["isDone": true]
      if isForAll != true, let user = call.user { filter["owner"] = .string(user.id) }
      return try await call.collection(Errand.self).deleteManyDocuments(filter: filter)
    }

    app.trigger("done", on: Errand.self, [.insert, .update]) { call, change in
      guard let errand = change.document, errand["isDone"] == .bool(true),
        errand["doneAt"] == nil || errand["doneAt"] == .some(nil)
      else { return }
      _ = try await call.collection(Errand.self).updateOneDocument(
        filter: ["_id": change.id], update: ["$set": ["doneAt": .datetime(change.time)]])
    }
    return app
  }
}
#endif

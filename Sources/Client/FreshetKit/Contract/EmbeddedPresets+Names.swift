// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors
// Written by Scripts/embed-presets from presets/*.json. Edit those.

extension Contract {
    /// The names of the SDK's presets, for tools whose users choose one.
    public static let presets = [
        "appwrite",
        "auth0",
        "authservice",
        "bitbasel",
        "cognito",
        "cognito-oauth",
        "cognito-rotating",
        "creatist",
        "directus",
        "discord",
        "django-oauth-toolkit",
        "doorkeeper",
        "entra",
        "fastapi",
        "firebase",
        "flask-jwt-extended",
        "freshet",
        "fusionauth",
        "github-app",
        "google",
        "keycloak",
        "laravel-passport",
        "melchat",
        "nakama",
        "nestjs-boilerplate",
        "oauth2",
        "okta",
        "ory-hydra",
        "outbox",
        "parse-server",
        "pocketbase",
        "salesforce",
        "simplejwt",
        "slack",
        "spotify",
        "strapi",
        "supabase",
        "supertokens",
        "twitch",
        "tymon-jwt-auth",
    ]

    @export(implementation)
    static func preset(_ name: String) -> Contract? {
        switch name {
        case "appwrite": .appwrite
        case "auth0": .auth0
        case "authservice": .authservice
        case "bitbasel": .bitbasel
        case "cognito": .cognito
        case "cognito-oauth": .cognitoOAuth
        case "cognito-rotating": .cognitoRotating
        case "creatist": .creatist
        case "directus": .directus
        case "discord": .discord
        case "django-oauth-toolkit": .djangoOAuthToolkit
        case "doorkeeper": .doorkeeper
        case "entra": .entra
        case "fastapi": .fastapi
        case "firebase": .firebase
        case "flask-jwt-extended": .flaskJWTExtended
        case "freshet": .freshet
        case "fusionauth": .fusionauth
        case "github-app": .githubApp
        case "google": .google
        case "keycloak": .keycloak
        case "laravel-passport": .laravelPassport
        case "melchat": .melchat
        case "nakama": .nakama
        case "nestjs-boilerplate": .nestjsBoilerplate
        case "oauth2": .oauth2
        case "okta": .okta
        case "ory-hydra": .oryHydra
        case "outbox": .outbox
        case "parse-server": .parseServer
        case "pocketbase": .pocketbase
        case "salesforce": .salesforce
        case "simplejwt": .simplejwt
        case "slack": .slack
        case "spotify": .spotify
        case "strapi": .strapi
        case "supabase": .supabase
        case "supertokens": .supertokens
        case "twitch": .twitch
        case "tymon-jwt-auth": .tymonJWTAuth
        default: nil
        }
    }
}

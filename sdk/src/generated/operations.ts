// Written by npm run generate from the operations of the server.

export type ApiRoot = { portal: { id: string; name: string }; environment: "staging" | "production"; api_version: "v1"; key: { id: string; name: string; last4: string; created_at: string; expires_at: string | null }; resources: Array<{ name: string; url: string; actions: Array<string> }>; rate_limits: Array<{ name: string; quota: number; window_seconds: number }>; links: { openapi: string; docs: string; llms: string } }

export type OpenApiDocument = { openapi: string }

export type LeadSource = { id: string; url: string; etag: string; created_at: string; updated_at: string; name: string; kind: "referral_partner" | "website" | "event" | "campaign" | "import" | "api" | "manual" | "other"; is_active: boolean; requires_detail: boolean }

export type BusinessInput = { legal_name: string; country: string; lead_source_detail?: LeadSourceDetail | null; trading_name?: string | null; legal_form?: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region?: string | null; registration_number?: string | null; industry?: Industry | null; founded_on?: string | null; employee_count?: number | null; website?: string | null; email?: string | null; phone?: string | null; annual_revenue?: Money | null; external_reference?: string | null; tax_id?: string | null; owners?: Array<OwnerInput>; addresses?: Array<Address>; consents?: Array<Consent>; do_not_contact?: boolean; tags?: Array<string>; metadata?: Record<string, string>; lead_source_id: string }

export type LeadSourceDetail = { campaign?: string | null; referrer_name?: string | null; referral_code?: string | null }

export type Industry = { system: "naics_2022" | "sic_2007" | "nace_2"; code: string }

export type Money = { amount: string; currency: string }

export type OwnerInput = { id?: string; first_name: string; last_name: string; email?: string | null; phone?: string | null; role?: string | null; ownership_percent?: number | null }

export type Address = { kind: "registered" | "trading" | "mailing" | "other"; line1: string; line2?: string | null; city: string; region?: string | null; postal_code?: string | null; country: string }

export type Consent = { kind: "data_processing" | "data_sharing" | "credit_check" | "marketing_email" | "marketing_phone" | "electronic_records" | "other"; granted: boolean; granted_at?: string | null; text_version?: string | null }

export type Business = { id: string; url: string; etag: string; created_at: string; updated_at: string; state: "active" | "archived"; state_changed_at: string; available_actions: Array<"update" | "archive" | "restore">; legal_name: string; country: string; lead_source_id: string; lead_source_detail: LeadSourceDetail | null; trading_name: string | null; legal_form: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region: string | null; registration_number: string | null; industry: Industry | null; founded_on: string | null; employee_count: number | null; website: string | null; email: string | null; phone: string | null; annual_revenue: Money | null; external_reference: string | null; tax_id_last4: string | null; owners: Array<Owner>; addresses: Array<Address>; consents: Array<Consent>; do_not_contact: boolean; tags: Array<string>; metadata: Record<string, string>; possible_duplicates_url: string }

export type Owner = { id: string; first_name: string; last_name: string; email?: string | null; phone?: string | null; role?: string | null; ownership_percent?: number | null }

export type BusinessChange = { legal_name?: string; country?: string; lead_source_detail?: LeadSourceDetail | null; trading_name?: string | null; legal_form?: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; region?: string | null; registration_number?: string | null; industry?: Industry | null; founded_on?: string | null; employee_count?: number | null; website?: string | null; email?: string | null; phone?: string | null; annual_revenue?: Money | null; external_reference?: string | null; tax_id?: string | null; owners?: Array<OwnerInput>; addresses?: Array<Address>; consents?: Array<Consent>; do_not_contact?: boolean; tags?: Array<string>; metadata?: Record<string, string> }

export type PossibleDuplicate = { business_id: string; url: string; reasons: Array<"same_registration_number" | "same_tax_id" | "same_name"> }

export type ContractSummary = { id: string; url: string; etag: string; created_at: string; updated_at: string; kind: "client_intake" | "deal_application"; key: string; version: number; title: string; locale: string; schema_url: string }

export type Contract = { id: string; url: string; etag: string; created_at: string; updated_at: string; kind: "client_intake" | "deal_application"; key: string; version: number; title: string; locale: string; sections: Array<{ key: string; title: string; visible_when?: Record<string, unknown> }>; questions: Array<{ key: string; label: string; help?: string; required?: boolean; required_when?: Record<string, unknown>; visible_when?: Record<string, unknown>; sensitivity?: "normal" | "personal" | "restricted"; validation?: { min_length?: number; max_length?: number; pattern?: string; min?: number | string; max?: number | string; multiple_of?: number; min_date?: string; max_date?: string; min_items?: number; max_items?: number; accept?: Array<string>; max_bytes?: number; min_files?: number; max_files?: number; unique_in_group?: boolean }; options?: Array<{ value: string; label: string }>; option_set?: string; allow_other?: boolean; maps_to?: string; autofill?: { sources: Array<"business" | "previous_applications" | "project" | "documents" | "provider">; must_confirm?: boolean }; section: string; type: "text" | "long_text" | "boolean" | "integer" | "decimal" | "money" | "percent" | "date" | "year_month" | "email" | "phone" | "url" | "single_choice" | "multi_choice" | "address" | "country" | "region" | "industry" | "identifier" | "file" | "declaration" | "group" | "display"; repeat?: { min: number; max: number; item_label: string }; questions?: Array<{ key: string; label: string; help?: string; required?: boolean; required_when?: Record<string, unknown>; visible_when?: Record<string, unknown>; sensitivity?: "normal" | "personal" | "restricted"; validation?: { min_length?: number; max_length?: number; pattern?: string; min?: number | string; max?: number | string; multiple_of?: number; min_date?: string; max_date?: string; min_items?: number; max_items?: number; accept?: Array<string>; max_bytes?: number; min_files?: number; max_files?: number; unique_in_group?: boolean }; options?: Array<{ value: string; label: string }>; option_set?: string; allow_other?: boolean; maps_to?: string; autofill?: { sources: Array<"business" | "previous_applications" | "project" | "documents" | "provider">; must_confirm?: boolean }; type: "text" | "long_text" | "boolean" | "integer" | "decimal" | "money" | "percent" | "date" | "year_month" | "email" | "phone" | "url" | "single_choice" | "multi_choice" | "address" | "country" | "region" | "industry" | "identifier" | "file" | "declaration" | "display" }> }>; option_sets: Record<string, Array<{ value: string; label: string }>>; schema_url: string }

export type AnswerSchema = { $schema: string; $id: string; title: string; type: "object"; additionalProperties: false; properties: Record<string, unknown>; $defs: Record<string, unknown> }

export type ClientIntakeApplicationInput = { business_id: string; contract_id?: string; title?: string; external_reference?: string | null; metadata?: Record<string, string> }

export type ClientIntakeApplication = { id: string; url: string; etag: string; created_at: string; updated_at: string; state: "in_progress" | "submitted" | "returned" | "accepted" | "rejected" | "withdrawn" | "expired"; state_changed_at: string; available_actions: Array<"update" | "answer" | "submit" | "withdraw" | "accept" | "reject" | "return">; business_id: string; project_ids: Array<string>; title: string; external_reference: string | null; metadata: Record<string, string>; contract_url: string; contract_version: number; progress: Progress; is_submittable: boolean; attempt: number; submission: { number: number; submitted_at: string; sha256: string; url: string } | null; returned: { message: string; question_keys: Array<string> } | null; decision: { message: string | null; decided_at: string } | null; expires_at: string | null; answers_url: string; files_url: string; validation_url: string; autofill_runs_url: string }

export type Progress = { required: number; answered: number; percent: number; sections: Array<{ key: string; state: "hidden" | "not_started" | "in_progress" | "complete" }> }

export type ClientIntakeApplicationChange = { title?: string; metadata?: Record<string, string> }

export type DecisionInput = { message?: string | null }

export type ReturnInput = { message: string; question_keys: Array<string> }

export type Answer = { question_key: string; url: string; etag: string; value: unknown; state: "answered" | "declined" | null; source: "api" | "console" | "autofill" | null; source_detail: SourceDetail | null; confirmed: boolean; is_active: boolean; updated_at: string | null; item_count: number | null; items_url: string | null; files_url: string | null }

export type SourceDetail = { kind: string; reference: string | null; confidence: number; page?: number; line?: number; words?: string; period?: string | null }

export type AnswersInput = { answers: Array<AnswerWrite> }

export type AnswerWrite = { question_key: string; value?: unknown; state?: "declined"; confirmed?: boolean }

export type AnswersWritten = { application_id: string; application_url: string; etag: string; state: string; updated_at: string; progress: Progress; is_submittable: boolean; answers: Array<Answer> }

export type AnswerInput = { value?: unknown; state?: "declined"; confirmed?: boolean }

export type ApplicationStatus = { application_id: string; application_url: string; etag: string; state: string; updated_at: string; progress: Progress; is_submittable: boolean }

export type AnswerItem = { id: string; url: string; etag: string; created_at: string; updated_at: string; group_key: string; position: number; values: Record<string, unknown>; value_sources: Record<string, { state: "answered" | "declined"; source: "api" | "console" | "autofill"; source_detail: SourceDetail | null; confirmed: boolean; is_active: boolean }>; is_active: boolean }

export type AnswerItemInput = { values: Record<string, unknown>; declined?: Array<string>; confirmed?: Record<string, boolean>; position?: number }

export type AnswerItemChange = { values?: Record<string, unknown>; declined?: Array<string>; confirmed?: Record<string, boolean>; position?: number }

export type FileInput = { question_key: string; filename: string; content_type: string; size_bytes: number; sha256: string; item_id?: string | null }

export type DeclaredFile = { id: string; url: string; etag: string; created_at: string; updated_at: string; question_key: string; filename: string; content_type: string; size_bytes: number; sha256: string; item_id: string | null; state: "awaiting_upload" | "scanning" | "available" | "rejected" | "expired"; rejection: { code: string; message: string } | null; upload: Transfer }

export type Transfer = { method: "PUT" | "GET"; url: string; headers: Record<string, string>; expires_at: string }

export type File = { id: string; url: string; etag: string; created_at: string; updated_at: string; question_key: string; filename: string; content_type: string; size_bytes: number; sha256: string; item_id: string | null; state: "awaiting_upload" | "scanning" | "available" | "rejected" | "expired"; rejection: { code: string; message: string } | null }

export type Validation = { is_submittable: boolean; problems: Array<{ question_key: string; group_key: string | null; item_id: string | null; code: "required" | "declined" | "invalid_answer" | "too_few_items" | "too_many_items" | "too_few_files" | "too_many_files" | "upload_not_completed" | "not_unique" | "must_confirm"; message: string }>; notices: Array<{ question_key: string; group_key: string | null; item_id: string | null; code: "unconfirmed"; message: string }> }

export type Submission = { url: string; application_id: string; number: number; submitted_at: string; sha256: string; content: { contract_id: string; contract_version: number; answers: Array<{ question_key: string; state: "answered" | "declined"; value: unknown }>; items: Array<{ id: string; group_key: string; position: number; values: Record<string, unknown>; declined?: Array<string> }>; files: Array<{ id: string; question_key: string; item_id: string | null; filename: string; content_type: string; size_bytes: number; sha256: string }> } }

export type AutofillInput = { mode?: "fill_empty" | "suggest_only" | "overwrite_unconfirmed"; sources?: Array<"business" | "previous_applications" | "project" | "documents" | "provider"> }

export type AutofillRun = { id: string; url: string; etag: string; created_at: string; updated_at: string; application_id: string; state: "queued" | "running" | "completed" | "failed"; state_changed_at: string; available_actions: Array<"apply">; mode: "fill_empty" | "suggest_only" | "overwrite_unconfirmed"; sources: Array<"business" | "previous_applications" | "project" | "documents" | "provider">; filled: Array<{ question_key: string; group_key: string | null; item_id: string | null; value: unknown; candidates: Array<AutofillCandidate>; source_detail: SourceDetail }>; suggested: Array<{ question_key: string; group_key: string | null; item_id: string | null; value: unknown; candidates: Array<AutofillCandidate> }>; skipped: Array<{ question_key: string; group_key: string | null; item_id: string | null; reason: "already_answered" | "confirmed" | "declined" | "hidden" | "not_editable" | "does_not_fit" | "nothing_found" | "full" }>; problems: Array<{ source: "business" | "previous_applications" | "project" | "documents" | "provider"; reference: string | null; code: string; message: string }>; error: { code: string; message: string } | null }

export type AutofillCandidate = { value: unknown; source_detail: SourceDetail }

export type AutofillApplyInput = { question_keys: Array<string> }

export type DealApplicationInput = { deal_id: string; recipient_id?: string; program_id?: string | null; override?: boolean }

export type DealApplication = { id: string; url: string; etag: string; created_at: string; updated_at: string; state: "draft" | "submitted" | "in_review" | "information_requested" | "returned" | "offered" | "accepted" | "declined" | "offer_declined" | "withdrawn" | "expired" | "closed_incomplete" | "cancelled" | "funded"; state_changed_at: string; available_actions: Array<"answer" | "submit" | "withdraw" | "acknowledge" | "request_information" | "return" | "decline" | "offer" | "cancel" | "accept_final_offer" | "accept_indicative_offer" | "decline_offer" | "withdraw_offer" | "respond" | "fund">; direction: "sent" | "received"; deal_id: string; business_id: string; recipient: { id: string; name: string; kind: string }; sender: { portal_id: string; name: string }; program_id: string | null; contract_url: string; contract_version: number; progress: Progress; is_submittable: boolean; attempt: number; submission: { number: number; submitted_at: string; sha256: string; url: string } | null; acknowledgement: { reference: string | null; at: string } | null; information_request: { id: string; message: string; question_keys: Array<string>; due_on: string | null; at: string } | null; returned: { message: string; question_keys: Array<string>; at: string } | null; open_question_keys: Array<string> | null; active_offer_id: string | null; decision: { reason_codes: Array<"business_credit" | "owner_credit" | "use_of_funds" | "cash_flow" | "collateral" | "time_in_business" | "program_criteria" | "aggregate_exposure" | "unverifiable_information" | "incomplete_application" | "bankruptcy" | "liens_or_judgments" | "industry" | "geography" | "amount_out_of_range" | "duplicate_application" | "fraud" | "budget_exhausted" | "other">; note: string | null; at: string } | null; funding: { amount: Money; funded_on: string; at: string } | null; override: { application_ids: Array<string>; at: string } | null; expires_at: string | null; answers_url: string; files_url: string; validation_url: string; autofill_runs_url: string | null; offers_url: string }

export type NoteInput = { note?: string | null }

export type AcknowledgeInput = { reference?: string | null }

export type InformationRequestInput = { message: string; question_keys?: Array<string>; due_on?: string | null }

export type ReturnApplicationInput = { message: string; question_keys: Array<string> }

export type DeclineInput = { reason_codes: Array<"business_credit" | "owner_credit" | "use_of_funds" | "cash_flow" | "collateral" | "time_in_business" | "program_criteria" | "aggregate_exposure" | "unverifiable_information" | "incomplete_application" | "bankruptcy" | "liens_or_judgments" | "industry" | "geography" | "amount_out_of_range" | "duplicate_application" | "fraud" | "budget_exhausted" | "other">; note?: string | null }

export type FundInput = { amount: Money; funded_on?: string; note?: string | null }

export type OfferInput = { kind: "indicative" | "final"; amount: Money; term_months?: number | null; rate?: { kind: "fixed" | "variable" | "factor" | "equity" | "none"; value: number; apr?: number | null } | null; fees?: Array<{ name: string; amount?: Money | null; percent?: number | null }>; repayment?: { frequency: "daily" | "weekly" | "monthly" | "quarterly" | "yearly" | "at_end" | "other"; amount?: Money | null; total?: Money | null } | null; conditions?: Array<string>; valid_until?: string | null }

export type Offer = { id: string; url: string; etag: string; application_id: string; created_at: string; updated_at: string; state: "active" | "accepted" | "declined" | "expired" | "superseded" | "withdrawn"; state_changed_at: string; available_actions: Array<"accept" | "decline" | "withdraw">; kind: "indicative" | "final"; amount: Money; term_months: number | null; rate: { kind: "fixed" | "variable" | "factor" | "equity" | "none"; value: number; apr?: number | null } | null; fees: Array<{ name: string; amount?: Money | null; percent?: number | null }>; repayment: { frequency: "daily" | "weekly" | "monthly" | "quarterly" | "yearly" | "at_end" | "other"; amount?: Money | null; total?: Money | null } | null; conditions: Array<string>; valid_until: string | null; expires_at: string | null }

export type ProjectInput = { business_id: string; intake_application_id?: string | null; title?: string; description?: string | null; external_reference?: string | null; metadata?: Record<string, string> }

export type Project = { id: string; url: string; etag: string; created_at: string; updated_at: string; business_id: string; intake_application_id: string | null; title: string; description: string | null; external_reference: string | null; metadata: Record<string, string>; criteria: { state: "incomplete" | "complete"; url: string; missing: Array<string> }; calculations_url: string; matches_url: string }

export type ProjectChange = { title?: string; description?: string | null; external_reference?: string | null; metadata?: Record<string, string> }

export type Criteria = { project_id: string; url: string; etag: string; state: "incomplete" | "complete"; missing: Array<string>; values: Record<string, CriterionValue>; suggestions_url: string }

export type CriterionValue = { value: unknown; source: "api" | "business" | "client_intake_application" | "console"; source_detail: { reference: string; fact: string } | null; updated_at: string }

export type CriterionSuggestion = { key: string; value: unknown; source: "business" | "client_intake_application"; source_detail: { reference: string; fact: string } | null; updated_at: string }

export type CriteriaChange = { values: { amount_requested?: Money | null; country?: string | null; use_of_funds?: Array<"working_capital" | "equipment" | "vehicles" | "inventory" | "real_estate" | "construction" | "renovation" | "refinancing" | "acquisition" | "franchise" | "expansion" | "hiring" | "payroll" | "marketing" | "technology" | "research_and_development" | "export" | "energy_efficiency" | "startup_costs" | "invoices" | "purchase_orders" | "training" | "taxes" | "emergency" | "other"> | null; region?: string | null; postal_code?: string | null; funding_types?: Array<"term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"> | null; term_months?: number | null; needed_by?: string | null; industry?: Industry | null; legal_form?: "sole_proprietor" | "partnership" | "llp" | "llc" | "corporation" | "s_corp" | "limited_company" | "nonprofit" | "cooperative" | "public_body" | "other" | null; time_in_business_months?: number | null; founded_on?: string | null; annual_revenue?: Money | null; monthly_revenue?: Money | null; net_profit?: Money | null; employee_count?: number | null; credit_score?: number | null; business_credit_score?: number | null; collateral?: Array<"real_estate" | "equipment" | "vehicles" | "inventory" | "receivables" | "cash" | "securities" | "intellectual_property" | "personal_assets" | "other"> | null; personal_guarantee?: boolean | null; ownership_attributes?: Array<"women_owned" | "minority_owned" | "veteran_owned" | "disability_owned" | "lgbtq_owned" | "indigenous_owned" | "immigrant_owned" | "youth_owned" | "family_owned" | "employee_owned" | "rural" | "low_income_area"> | null; existing_debt?: Money | null; bankruptcy?: { has: boolean; discharged_on?: string | null } | null; liens_or_judgments?: boolean | null; match_funding_percent?: number | null; project_start_on?: string | null; equipment?: { type: "vehicle" | "construction" | "manufacturing" | "agricultural" | "medical" | "restaurant" | "technology" | "office" | "energy" | "other"; age_years?: number | null } | null } }

export type CriterionDefinition = { key: string; type: "money" | "country" | "choices" | "region" | "postal_code" | "integer" | "date" | "industry" | "choice" | "boolean" | "bankruptcy" | "percent" | "equipment"; unit: "months" | "percent" | "points" | "people" | null; label: string; help: string; allowed_values: Array<{ value: string; label: string }>; required: boolean; remedy: "answer" | "time" | "none" }

export type MatchCalculation = { id: string; url: string; etag: string; created_at: string; updated_at: string; project_id: string; state: "queued" | "running" | "completed" | "failed"; state_changed_at: string; available_actions: Array<string>; calculated_on: string | null; counts: MatchCounts | null; most_useful_criteria: Array<{ criterion: string; would_settle: number }>; is_stale: boolean; stale_reasons: Array<"criteria_changed" | "catalogue_changed" | "day_changed">; error: { code: string; message: string } | null; matches_url: string }

export type MatchCounts = { evaluated: number; eligible: number; near_miss: number; undetermined: number; ineligible: number }

export type WhatIf = { counts: MatchCounts; changed_count: number; changed: Array<{ program: { id: string; name: string }; from: "eligible" | "undetermined" | "near_miss" | "ineligible"; to: "eligible" | "undetermined" | "near_miss" | "ineligible"; reasons: Array<Reason> }> }

export type Reason = { rule_id: string; criterion: string; result: "pass" | "fail" | "unknown" | "not_applicable"; effect: "required" | "preferred"; expected: { operator: string; value: unknown }; actual: unknown; gap: Gap | null; message: string; note: string | null; remedy: "answer" | "time" | "none" }

export type Gap = { unit: string; actual: string | number; bound: string | number; short_by: string | number }

export type Match = { id: string; url: string; etag: string; created_at: string; updated_at: string; project_id: string; calculation_id: string; program: { id: string; name: string; funding_type: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; url: string }; recipient: { id: string; name: string; accepting_applications: boolean }; outcome: "eligible" | "undetermined" | "near_miss" | "ineligible"; score: number | null; rank: number; estimated_amount: { min: Money; max: Money } | null; reasons: Array<Reason>; missing_criteria: Array<string>; deal_id: string | null; dismissed_at: string | null }

export type FundingProgramInput = { name: string; funding_type: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; summary?: string | null; opens_on?: string | null; closes_on?: string | null; amount?: AmountRange | null; term_months?: TermRange | null; rate?: RateRange | null; time_to_fund_days?: TimeToFund | null; fees?: Array<Fee>; required_documents?: Array<string>; eligibility?: Array<EligibilityRuleInput>; status?: "draft" | "open" | "scheduled"; external_reference?: string | null }

export type AmountRange = { min?: Money | null; max?: Money | null }

export type TermRange = { min?: number | null; max?: number | null }

export type RateRange = { kind: "fixed" | "variable" | "factor" | "none"; min?: number | null; max?: number | null }

export type TimeToFund = { min?: number | null; max?: number | null }

export type Fee = { name: string; amount?: Money | null; percent?: number | null }

export type EligibilityRuleInput = { criterion: string; operator: "eq" | "ne" | "in" | "not_in" | "gte" | "lte" | "between" | "contains_any" | "contains_all" | "contains_none" | "prefix_in" | "not_prefix_in" | "exists" | "before" | "after"; value?: unknown; id?: string; effect?: "required" | "preferred"; weight?: number; when?: EligibilityCondition | null; message?: string | null; remedy?: "answer" | "time" | "none" | null }

export type EligibilityCondition = { criterion: string; operator: "eq" | "ne" | "in" | "not_in" | "gte" | "lte" | "between" | "contains_any" | "contains_all" | "contains_none" | "prefix_in" | "not_prefix_in" | "exists" | "before" | "after"; value?: unknown }

export type FundingProgram = { id: string; url: string; etag: string; created_at: string; updated_at: string; recipient_id: string; status: "draft" | "scheduled" | "open" | "paused" | "closed"; status_changed_at: string; available_actions: Array<"update" | "publish" | "close" | "pause">; name: string; funding_type: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; summary: string | null; opens_on: string | null; closes_on: string | null; amount: AmountRange | null; term_months: TermRange | null; rate: RateRange | null; time_to_fund_days: TimeToFund | null; fees: Array<Fee>; required_documents: Array<string>; eligibility: Array<EligibilityRule>; external_reference: string | null; version: number }

export type EligibilityRule = { id: string; criterion: string; operator: "eq" | "ne" | "in" | "not_in" | "gte" | "lte" | "between" | "contains_any" | "contains_all" | "contains_none" | "prefix_in" | "not_prefix_in" | "exists" | "before" | "after"; value: unknown; effect: "required" | "preferred"; weight: number; when: EligibilityCondition | null; message: string | null; remedy: "answer" | "time" | "none" | null }

export type FundingProgramChange = { name?: string; funding_type?: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; summary?: string | null; opens_on?: string | null; closes_on?: string | null; amount?: AmountRange | null; term_months?: TermRange | null; rate?: RateRange | null; time_to_fund_days?: TimeToFund | null; fees?: Array<Fee>; required_documents?: Array<string>; eligibility?: Array<EligibilityRuleInput>; external_reference?: string | null }

export type Recipient = { id: string; url: string; etag: string; created_at: string; updated_at: string; name: string; kind: "lender" | "grant_maker" | "investor" | "broker" | "service_provider" | "government" | "own_portal"; description: string | null; website: string | null; countries: Array<string>; accepting_applications: boolean; time_zone: string; programs_url: string; application_contract_url: string | null }

export type DealInput = { business_id: string; recipient_id?: string; project_id?: string; match_id?: string; title?: string; amount_requested?: Money | null; expected_close_on?: string | null; external_reference?: string | null; tags?: Array<string>; metadata?: Record<string, string> }

export type Deal = { id: string; url: string; etag: string; created_at: string; updated_at: string; number: number; state: "open" | "on_hold" | "won" | "lost" | "withdrawn" | "expired"; state_changed_at: string; available_actions: Array<"update" | "move" | "hold" | "win" | "lose" | "withdraw" | "resume" | "reopen">; direction: "sent" | "received"; title: string; business: SharedBusiness; recipient: { id: string; name: string; kind: string }; sender: { portal_id: string; name: string }; business_id: string; project_id: string | null; match_id: string | null; program_id: string | null; amount_requested: Money | null; amount_approved: Money | null; amount_funded: Money | null; stage: Stage; progress: DealProgress; outcome: { kind: "won" | "lost" | "withdrawn" | "expired"; reason_code: "business_credit" | "owner_credit" | "use_of_funds" | "cash_flow" | "collateral" | "time_in_business" | "program_criteria" | "aggregate_exposure" | "unverifiable_information" | "incomplete_application" | "bankruptcy" | "liens_or_judgments" | "industry" | "geography" | "amount_out_of_range" | "duplicate_application" | "fraud" | "budget_exhausted" | "other" | "client_unresponsive" | "client_chose_other" | "client_no_longer_needs_funding" | "declined" | "cancelled" | "offer_declined" | "application_expired" | "information_not_provided" | null; note: string | null; at: string } | null; application_ids: Array<string>; expected_close_on: string | null; external_reference: string | null; assignee: string | null; tags: Array<string>; metadata: Record<string, string>; progress_url: string }

export type SharedBusiness = { id: string; legal_name: string; country: string; facts: Record<string, unknown> }

export type Stage = { key: string; label: string; category: "new" | "qualifying" | "application" | "under_review" | "offer" | "closing" | "funded" | "closed_lost" }

export type DealProgress = { percent: number; steps: Array<{ key: "new" | "qualifying" | "application" | "under_review" | "offer" | "closing" | "funded"; label: string; state: "done" | "current" | "upcoming" | "skipped"; at: string | null }> }

export type DealChange = { title?: string; amount_requested?: Money | null; expected_close_on?: string | null; external_reference?: string | null; tags?: Array<string>; metadata?: Record<string, string>; assignee?: string | null }

export type TimelineEntry = { id: string; at: string; kind: string; actor: { portal_id: string | null; name: string; key_id: string | null }; from: string | null; to: string | null; note: string | null }

export type Disclosure = { id: string; at: string; recipient_id: string; application_id: string | null; submission_number: number | null; facts: Array<string>; question_keys: Array<string>; file_ids: Array<string> }

export type DealMoveInput = { stage: string; note?: string | null }

export type DealWinInput = { amount_funded?: Money | null; note?: string | null }

export type DealLoseInput = { reason_code: "business_credit" | "owner_credit" | "use_of_funds" | "cash_flow" | "collateral" | "time_in_business" | "program_criteria" | "aggregate_exposure" | "unverifiable_information" | "incomplete_application" | "bankruptcy" | "liens_or_judgments" | "industry" | "geography" | "amount_out_of_range" | "duplicate_application" | "fraud" | "budget_exhausted" | "other" | "client_unresponsive" | "client_chose_other" | "client_no_longer_needs_funding"; note?: string | null }

export type WebhookInput = { url: string; event_types: Array<string>; description?: string | null }

export type WebhookWithSecret = { id: string; self_url: string; etag: string; created_at: string; updated_at: string; state: "pending_verification" | "active" | "paused" | "disabled"; state_reason: string | null; state_changed_at: string; available_actions: Array<"update" | "verify" | "rotate_secret" | "delete" | "pause" | "test" | "resume">; url: string; pending_url: string | null; event_types: Array<string>; description: string | null; signing: { scheme: "v1"; secret_last4: string; previous_expires_at: string | null }; verified_at: string | null; failing_since: string | null; secret: string }

export type Webhook = { id: string; self_url: string; etag: string; created_at: string; updated_at: string; state: "pending_verification" | "active" | "paused" | "disabled"; state_reason: string | null; state_changed_at: string; available_actions: Array<"update" | "verify" | "rotate_secret" | "delete" | "pause" | "test" | "resume">; url: string; pending_url: string | null; event_types: Array<string>; description: string | null; signing: { scheme: "v1"; secret_last4: string; previous_expires_at: string | null }; verified_at: string | null; failing_since: string | null }

export type WebhookChange = { url?: string; event_types?: Array<string>; description?: string | null }

export type DeletedWebhook = { id: string; is_deleted: true }

export type WebhookVerifyInput = { challenge?: string }

export type RotateSecretInput = { overlap_seconds?: number }

export type Delivery = { id: string; url: string; etag: string; created_at: string; updated_at: string; webhook_id: string; event_id: string | null; event_type: string; state: "pending" | "retrying" | "succeeded" | "failed" | "skipped" | "cancelled"; state_changed_at: string; available_actions: Array<"redeliver">; trigger: "event" | "test" | "redelivery" | "recovery"; attempt_count: number; last_response_status: number | null; last_error_code: "response_status" | "redirect" | "timed_out" | "connection_failed" | "tls_failed" | "dns_failed" | "address_not_allowed" | "response_broken" | "event_expired" | null; next_attempt_at: string | null; attempts_url: string }

export type Attempt = { id: string; number: number; trigger: "event" | "test" | "redelivery" | "recovery"; started_at: string; duration_ms: number; response_status: number | null; response_body: string | null; error_code: "response_status" | "redirect" | "timed_out" | "connection_failed" | "tls_failed" | "dns_failed" | "address_not_allowed" | "response_broken" | null; error_message: string | null }

export type RecoverInput = { since: string; until?: string; states?: Array<"failed" | "skipped" | "succeeded"> }

export type Recovery = { id: string; url: string; etag: string; created_at: string; updated_at: string; webhook_id: string; state: "running" | "completed" | "failed"; state_changed_at: string; available_actions: Array<string>; since: string; until: string; states: Array<string>; requeued_count: number }

export type WebhookEventType = { type: string; resource: string; description: string; is_subscribable: boolean; schema: Record<string, unknown>; example: Record<string, unknown>; docs_url: string }

export type Event = { id: string; type: string; timestamp: string; api_version: "v1"; portal_id: string; environment: "staging" | "production"; sequence: number; data: { resource: { type: string; id: string; url: string; version: number }; state?: string; previous_state?: string; changes?: Array<string>; request_id?: string } }

export type AuditEntry = { id: string; portal_id: string; sequence: number; created_at: string; actor: { kind: "api_key" | "command_line" | "job" | "other_portal" | "unknown"; id: string | null }; action: string; resource: { type: string; id: string; version: number | null }; changes: Array<string>; request_id: string | null; previous_hash: string; hash: string }

/** The input and output of each operation. */
export interface Operations {
  'root.read': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: undefined
    response: ApiRoot
  }
  'root.openapi': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: undefined
    response: OpenApiDocument
  }
  'lead_sources.list': {
    params: Record<never, string>
    query: { kind?: "referral_partner" | "website" | "event" | "campaign" | "import" | "api" | "manual" | "other"; is_active?: boolean; cursor?: string; page_size?: number; order?: "name" | "-name" | "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<LeadSource>; next_cursor: string | null; previous_cursor: string | null }
  }
  'lead_sources.read': {
    params: { lead_source_id: string }
    query: Record<never, unknown>
    body: undefined
    response: LeadSource
  }
  'businesses.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: BusinessInput
    response: Business
  }
  'businesses.list': {
    params: Record<never, string>
    query: { state?: "active" | "archived"; lead_source_id?: string; external_reference?: string; country?: string; search?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" | "legal_name" | "-legal_name" }
    body: undefined
    response: { items: Array<Business>; next_cursor: string | null; previous_cursor: string | null }
  }
  'businesses.read': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.change': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: BusinessChange
    response: Business
  }
  'businesses.archive': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.restore': {
    params: { business_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Business
  }
  'businesses.possible_duplicates': {
    params: { business_id: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<PossibleDuplicate>; next_cursor: string | null; previous_cursor: string | null }
  }
  'contracts.list': {
    params: Record<never, string>
    query: { kind?: "client_intake" | "deal_application"; key?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<ContractSummary>; next_cursor: string | null; previous_cursor: string | null }
  }
  'contracts.read': {
    params: { contract_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Contract
  }
  'contracts.schema': {
    params: { contract_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AnswerSchema
  }
  'client_intake_applications.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: ClientIntakeApplicationInput
    response: ClientIntakeApplication
  }
  'client_intake_applications.list': {
    params: Record<never, string>
    query: { state?: "in_progress" | "submitted" | "returned" | "accepted" | "rejected" | "withdrawn" | "expired"; business_id?: string; external_reference?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<ClientIntakeApplication>; next_cursor: string | null; previous_cursor: string | null }
  }
  'client_intake_applications.read': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ClientIntakeApplication
  }
  'client_intake_applications.change': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: ClientIntakeApplicationChange
    response: ClientIntakeApplication
  }
  'client_intake_applications.submit': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ClientIntakeApplication
  }
  'client_intake_applications.withdraw': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ClientIntakeApplication
  }
  'client_intake_applications.accept': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: DecisionInput
    response: ClientIntakeApplication
  }
  'client_intake_applications.reject': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: DecisionInput
    response: ClientIntakeApplication
  }
  'client_intake_applications.return': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: ReturnInput
    response: ClientIntakeApplication
  }
  'client_intake_applications.answers.list': {
    params: { application_id: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<Answer>; next_cursor: string | null; previous_cursor: string | null }
  }
  'client_intake_applications.answers.write': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: AnswersInput
    response: AnswersWritten
  }
  'client_intake_applications.answers.read': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: undefined
    response: Answer
  }
  'client_intake_applications.answers.put': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: AnswerInput
    response: Answer
  }
  'client_intake_applications.answers.delete': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'client_intake_applications.items.list': {
    params: { application_id: string; group_key: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<AnswerItem>; next_cursor: string | null; previous_cursor: string | null }
  }
  'client_intake_applications.items.create': {
    params: { application_id: string; group_key: string }
    query: Record<never, unknown>
    body: AnswerItemInput
    response: AnswerItem
  }
  'client_intake_applications.items.read': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AnswerItem
  }
  'client_intake_applications.items.change': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: AnswerItemChange
    response: AnswerItem
  }
  'client_intake_applications.items.delete': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'client_intake_applications.files.create': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: FileInput
    response: DeclaredFile
  }
  'client_intake_applications.files.list': {
    params: { application_id: string }
    query: { question_key?: string; item_id?: string; state?: "awaiting_upload" | "scanning" | "available" | "rejected" | "expired"; cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<File>; next_cursor: string | null; previous_cursor: string | null }
  }
  'client_intake_applications.files.read': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: File
  }
  'client_intake_applications.files.delete': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'client_intake_applications.files.upload': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Transfer
  }
  'client_intake_applications.files.download': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Transfer
  }
  'client_intake_applications.validation.read': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Validation
  }
  'client_intake_applications.submissions.read': {
    params: { application_id: string; number: string }
    query: Record<never, unknown>
    body: undefined
    response: Submission
  }
  'client_intake_applications.autofill.start': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: AutofillInput
    response: AutofillRun
  }
  'client_intake_applications.autofill.list': {
    params: { application_id: string }
    query: { cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<AutofillRun>; next_cursor: string | null; previous_cursor: string | null }
  }
  'client_intake_applications.autofill.read': {
    params: { application_id: string; run_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AutofillRun
  }
  'client_intake_applications.autofill.apply': {
    params: { application_id: string; run_id: string }
    query: Record<never, unknown>
    body: AutofillApplyInput
    response: AnswersWritten
  }
  'deal_applications.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: DealApplicationInput
    response: DealApplication
  }
  'deal_applications.list': {
    params: Record<never, string>
    query: { direction?: "sent" | "received"; state?: "draft" | "submitted" | "in_review" | "information_requested" | "returned" | "offered" | "accepted" | "declined" | "offer_declined" | "withdrawn" | "expired" | "closed_incomplete" | "cancelled" | "funded"; deal_id?: string; recipient_id?: string; cursor?: string; page_size?: number; order?: "updated_at" | "-updated_at" }
    body: undefined
    response: { items: Array<DealApplication>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deal_applications.read': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: DealApplication
  }
  'deal_applications.submit': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: DealApplication
  }
  'deal_applications.respond': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: DealApplication
  }
  'deal_applications.withdraw': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: DealApplication
  }
  'deal_applications.acknowledge': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: AcknowledgeInput
    response: DealApplication
  }
  'deal_applications.request_information': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: InformationRequestInput
    response: DealApplication
  }
  'deal_applications.return': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: ReturnApplicationInput
    response: DealApplication
  }
  'deal_applications.decline': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: DeclineInput
    response: DealApplication
  }
  'deal_applications.cancel': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: DealApplication
  }
  'deal_applications.fund': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: FundInput
    response: DealApplication
  }
  'offers.create': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: OfferInput
    response: Offer
  }
  'offers.list': {
    params: { application_id: string }
    query: { cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<Offer>; next_cursor: string | null; previous_cursor: string | null }
  }
  'offers.read': {
    params: { application_id: string; offer_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Offer
  }
  'offers.accept': {
    params: { application_id: string; offer_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Offer
  }
  'offers.decline': {
    params: { application_id: string; offer_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Offer
  }
  'offers.withdraw': {
    params: { application_id: string; offer_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Offer
  }
  'deal_applications.answers.list': {
    params: { application_id: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<Answer>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deal_applications.answers.write': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: AnswersInput
    response: AnswersWritten
  }
  'deal_applications.answers.read': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: undefined
    response: Answer
  }
  'deal_applications.answers.put': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: AnswerInput
    response: Answer
  }
  'deal_applications.answers.delete': {
    params: { application_id: string; question_key: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'deal_applications.items.list': {
    params: { application_id: string; group_key: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<AnswerItem>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deal_applications.items.create': {
    params: { application_id: string; group_key: string }
    query: Record<never, unknown>
    body: AnswerItemInput
    response: AnswerItem
  }
  'deal_applications.items.read': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AnswerItem
  }
  'deal_applications.items.change': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: AnswerItemChange
    response: AnswerItem
  }
  'deal_applications.items.delete': {
    params: { application_id: string; group_key: string; item_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'deal_applications.files.create': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: FileInput
    response: DeclaredFile
  }
  'deal_applications.files.list': {
    params: { application_id: string }
    query: { question_key?: string; item_id?: string; state?: "awaiting_upload" | "scanning" | "available" | "rejected" | "expired"; cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<File>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deal_applications.files.read': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: File
  }
  'deal_applications.files.delete': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: ApplicationStatus
  }
  'deal_applications.files.upload': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Transfer
  }
  'deal_applications.files.download': {
    params: { application_id: string; file_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Transfer
  }
  'deal_applications.validation.read': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Validation
  }
  'deal_applications.submissions.read': {
    params: { application_id: string; number: string }
    query: Record<never, unknown>
    body: undefined
    response: Submission
  }
  'deal_applications.autofill.start': {
    params: { application_id: string }
    query: Record<never, unknown>
    body: AutofillInput
    response: AutofillRun
  }
  'deal_applications.autofill.list': {
    params: { application_id: string }
    query: { cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<AutofillRun>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deal_applications.autofill.read': {
    params: { application_id: string; run_id: string }
    query: Record<never, unknown>
    body: undefined
    response: AutofillRun
  }
  'deal_applications.autofill.apply': {
    params: { application_id: string; run_id: string }
    query: Record<never, unknown>
    body: AutofillApplyInput
    response: AnswersWritten
  }
  'projects.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: ProjectInput
    response: Project
  }
  'projects.list': {
    params: Record<never, string>
    query: { business_id?: string; intake_application_id?: string; external_reference?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<Project>; next_cursor: string | null; previous_cursor: string | null }
  }
  'projects.read': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Project
  }
  'projects.change': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: ProjectChange
    response: Project
  }
  'criteria.read': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Criteria
  }
  'criteria.suggestions': {
    params: { project_id: string }
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<CriterionSuggestion>; next_cursor: string | null; previous_cursor: string | null }
  }
  'criteria.change': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: CriteriaChange
    response: Criteria
  }
  'criteria.definitions': {
    params: Record<never, string>
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<CriterionDefinition>; next_cursor: string | null; previous_cursor: string | null }
  }
  'match_calculations.start': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: undefined
    response: MatchCalculation
  }
  'match_calculations.list': {
    params: { project_id: string }
    query: { cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<MatchCalculation>; next_cursor: string | null; previous_cursor: string | null }
  }
  'match_calculations.read': {
    params: { project_id: string; calculation_id: string }
    query: Record<never, unknown>
    body: undefined
    response: MatchCalculation
  }
  'projects.what_if': {
    params: { project_id: string }
    query: Record<never, unknown>
    body: CriteriaChange
    response: WhatIf
  }
  'matches.list': {
    params: { project_id: string }
    query: { outcome?: "eligible" | "undetermined" | "near_miss" | "ineligible"; funding_type?: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; recipient_id?: string; calculation_id?: string; dismissed?: boolean; cursor?: string; page_size?: number; order?: "rank" | "-rank" }
    body: undefined
    response: { items: Array<Match>; next_cursor: string | null; previous_cursor: string | null }
  }
  'matches.read': {
    params: { project_id: string; match_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Match
  }
  'matches.dismiss': {
    params: { project_id: string; match_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Match
  }
  'matches.restore': {
    params: { project_id: string; match_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Match
  }
  'funding_programs.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: FundingProgramInput
    response: FundingProgram
  }
  'funding_programs.list': {
    params: Record<never, string>
    query: { recipient_id?: string; funding_type?: "term_loan" | "line_of_credit" | "merchant_cash_advance" | "invoice_finance" | "asset_finance" | "trade_finance" | "commercial_property" | "microloan" | "grant" | "tax_credit" | "equity" | "guarantee" | "other"; status?: "draft" | "scheduled" | "open" | "paused" | "closed"; external_reference?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<FundingProgram>; next_cursor: string | null; previous_cursor: string | null }
  }
  'funding_programs.read': {
    params: { program_id: string }
    query: Record<never, unknown>
    body: undefined
    response: FundingProgram
  }
  'funding_programs.change': {
    params: { program_id: string }
    query: Record<never, unknown>
    body: FundingProgramChange
    response: FundingProgram
  }
  'funding_programs.publish': {
    params: { program_id: string }
    query: Record<never, unknown>
    body: undefined
    response: FundingProgram
  }
  'funding_programs.pause': {
    params: { program_id: string }
    query: Record<never, unknown>
    body: undefined
    response: FundingProgram
  }
  'funding_programs.close': {
    params: { program_id: string }
    query: Record<never, unknown>
    body: undefined
    response: FundingProgram
  }
  'recipients.list': {
    params: Record<never, string>
    query: { kind?: "lender" | "grant_maker" | "investor" | "broker" | "service_provider" | "government" | "own_portal"; accepting?: boolean; country?: string; cursor?: string; page_size?: number; order?: "name" | "-name" }
    body: undefined
    response: { items: Array<Recipient>; next_cursor: string | null; previous_cursor: string | null }
  }
  'recipients.read': {
    params: { recipient_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Recipient
  }
  'deals.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: DealInput
    response: Deal
  }
  'deals.list': {
    params: Record<never, string>
    query: { direction?: "sent" | "received"; state?: "open" | "on_hold" | "won" | "lost" | "withdrawn" | "expired"; stage?: string; recipient_id?: string; business_id?: string; project_id?: string; external_reference?: string; cursor?: string; page_size?: number; order?: "updated_at" | "-updated_at" }
    body: undefined
    response: { items: Array<Deal>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deals.read': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Deal
  }
  'deals.change': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: DealChange
    response: Deal
  }
  'deals.progress': {
    params: { deal_id: string }
    query: { cursor?: string; page_size?: number; order?: "at" | "-at" }
    body: undefined
    response: { items: Array<TimelineEntry>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deals.disclosures': {
    params: { deal_id: string }
    query: { cursor?: string; page_size?: number; order?: "at" | "-at" }
    body: undefined
    response: { items: Array<Disclosure>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deals.move': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: DealMoveInput
    response: Deal
  }
  'deals.hold': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Deal
  }
  'deals.resume': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Deal
  }
  'deals.win': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: DealWinInput
    response: Deal
  }
  'deals.lose': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: DealLoseInput
    response: Deal
  }
  'deals.withdraw': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Deal
  }
  'deals.reopen': {
    params: { deal_id: string }
    query: Record<never, unknown>
    body: NoteInput
    response: Deal
  }
  'webhooks.create': {
    params: Record<never, string>
    query: Record<never, unknown>
    body: WebhookInput
    response: WebhookWithSecret
  }
  'webhooks.list': {
    params: Record<never, string>
    query: { state?: "pending_verification" | "active" | "paused" | "disabled"; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<Webhook>; next_cursor: string | null; previous_cursor: string | null }
  }
  'webhooks.read': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Webhook
  }
  'webhooks.change': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: WebhookChange
    response: Webhook
  }
  'webhooks.delete': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: undefined
    response: DeletedWebhook
  }
  'webhooks.verify': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: WebhookVerifyInput
    response: Webhook
  }
  'webhooks.pause': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Webhook
  }
  'webhooks.resume': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Webhook
  }
  'webhooks.rotate_secret': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: RotateSecretInput
    response: WebhookWithSecret
  }
  'webhooks.test': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Delivery
  }
  'deliveries.list': {
    params: { webhook_id: string }
    query: { state?: "pending" | "retrying" | "succeeded" | "failed" | "skipped" | "cancelled"; event_type?: "business.created" | "business.updated" | "business.archived" | "business.restored" | "business.erased" | "client_intake_application.created" | "client_intake_application.submitted" | "client_intake_application.returned" | "client_intake_application.accepted" | "client_intake_application.rejected" | "client_intake_application.withdrawn" | "client_intake_application.expired" | "client_intake_application.autofill_completed" | "client_intake_application.autofill_failed" | "deal_application.created" | "deal_application.submitted" | "deal_application.acknowledged" | "deal_application.information_requested" | "deal_application.responded" | "deal_application.returned" | "deal_application.declined" | "deal_application.withdrawn" | "deal_application.accepted" | "deal_application.funded" | "deal_application.expired" | "deal_application.cancelled" | "deal_application.autofill_completed" | "deal_application.autofill_failed" | "offer.received" | "offer.superseded" | "offer.accepted" | "offer.declined" | "offer.withdrawn" | "offer.expired" | "file.available" | "file.rejected" | "project.created" | "project.criteria_completed" | "match_calculation.completed" | "match_calculation.failed" | "match.found" | "deal.created" | "deal.updated" | "deal.stage_changed" | "deal.on_hold" | "deal.resumed" | "deal.won" | "deal.lost" | "deal.withdrawn" | "deal.expired" | "deal.reopened" | "deal.business_erased" | "deal.erased" | "webhook.ping" | "webhook.verification" | "webhook.disabled"; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "created_at" | "-created_at" }
    body: undefined
    response: { items: Array<Delivery>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deliveries.read': {
    params: { webhook_id: string; delivery_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Delivery
  }
  'deliveries.attempts': {
    params: { webhook_id: string; delivery_id: string }
    query: { cursor?: string; page_size?: number; order?: "started_at" | "-started_at" }
    body: undefined
    response: { items: Array<Attempt>; next_cursor: string | null; previous_cursor: string | null }
  }
  'deliveries.redeliver': {
    params: { webhook_id: string; delivery_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Delivery
  }
  'webhooks.recover': {
    params: { webhook_id: string }
    query: Record<never, unknown>
    body: RecoverInput
    response: Recovery
  }
  'recoveries.read': {
    params: { webhook_id: string; recovery_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Recovery
  }
  'webhook_event_types.list': {
    params: Record<never, string>
    query: { cursor?: string; page_size?: number }
    body: undefined
    response: { items: Array<WebhookEventType>; next_cursor: string | null; previous_cursor: string | null }
  }
  'events.list': {
    params: Record<never, string>
    query: { type?: "business.created" | "business.updated" | "business.archived" | "business.restored" | "business.erased" | "client_intake_application.created" | "client_intake_application.submitted" | "client_intake_application.returned" | "client_intake_application.accepted" | "client_intake_application.rejected" | "client_intake_application.withdrawn" | "client_intake_application.expired" | "client_intake_application.autofill_completed" | "client_intake_application.autofill_failed" | "deal_application.created" | "deal_application.submitted" | "deal_application.acknowledged" | "deal_application.information_requested" | "deal_application.responded" | "deal_application.returned" | "deal_application.declined" | "deal_application.withdrawn" | "deal_application.accepted" | "deal_application.funded" | "deal_application.expired" | "deal_application.cancelled" | "deal_application.autofill_completed" | "deal_application.autofill_failed" | "offer.received" | "offer.superseded" | "offer.accepted" | "offer.declined" | "offer.withdrawn" | "offer.expired" | "file.available" | "file.rejected" | "project.created" | "project.criteria_completed" | "match_calculation.completed" | "match_calculation.failed" | "match.found" | "deal.created" | "deal.updated" | "deal.stage_changed" | "deal.on_hold" | "deal.resumed" | "deal.won" | "deal.lost" | "deal.withdrawn" | "deal.expired" | "deal.reopened" | "deal.business_erased" | "deal.erased" | "webhook.disabled"; resource_id?: string; sequence_after?: number; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "sequence" | "-sequence" }
    body: undefined
    response: { items: Array<Event>; next_cursor: string | null; previous_cursor: string | null }
  }
  'events.read': {
    params: { event_id: string }
    query: Record<never, unknown>
    body: undefined
    response: Event
  }
  'audit_log.list': {
    params: Record<never, string>
    query: { actor_id?: string; action?: string; resource_id?: string; request_id?: string; created_after?: string; created_before?: string; cursor?: string; page_size?: number; order?: "sequence" | "-sequence" }
    body: undefined
    response: { items: Array<AuditEntry>; next_cursor: string | null; previous_cursor: string | null }
  }
}

export const routes = {
  'root.read': { method: 'GET', path: '/' },
  'root.openapi': { method: 'GET', path: '/openapi.json' },
  'lead_sources.list': { method: 'GET', path: '/lead-sources/' },
  'lead_sources.read': { method: 'GET', path: '/lead-sources/{lead_source_id}/' },
  'businesses.create': { method: 'POST', path: '/businesses/' },
  'businesses.list': { method: 'GET', path: '/businesses/' },
  'businesses.read': { method: 'GET', path: '/businesses/{business_id}/' },
  'businesses.change': { method: 'PATCH', path: '/businesses/{business_id}/' },
  'businesses.archive': { method: 'POST', path: '/businesses/{business_id}/archive/' },
  'businesses.restore': { method: 'POST', path: '/businesses/{business_id}/restore/' },
  'businesses.possible_duplicates': { method: 'GET', path: '/businesses/{business_id}/possible-duplicates/' },
  'contracts.list': { method: 'GET', path: '/contracts/' },
  'contracts.read': { method: 'GET', path: '/contracts/{contract_id}/' },
  'contracts.schema': { method: 'GET', path: '/contracts/{contract_id}/schema.json' },
  'client_intake_applications.create': { method: 'POST', path: '/client-intake-applications/' },
  'client_intake_applications.list': { method: 'GET', path: '/client-intake-applications/' },
  'client_intake_applications.read': { method: 'GET', path: '/client-intake-applications/{application_id}/' },
  'client_intake_applications.change': { method: 'PATCH', path: '/client-intake-applications/{application_id}/' },
  'client_intake_applications.submit': { method: 'POST', path: '/client-intake-applications/{application_id}/submit/' },
  'client_intake_applications.withdraw': { method: 'POST', path: '/client-intake-applications/{application_id}/withdraw/' },
  'client_intake_applications.accept': { method: 'POST', path: '/client-intake-applications/{application_id}/accept/' },
  'client_intake_applications.reject': { method: 'POST', path: '/client-intake-applications/{application_id}/reject/' },
  'client_intake_applications.return': { method: 'POST', path: '/client-intake-applications/{application_id}/return/' },
  'client_intake_applications.answers.list': { method: 'GET', path: '/client-intake-applications/{application_id}/answers/' },
  'client_intake_applications.answers.write': { method: 'PATCH', path: '/client-intake-applications/{application_id}/answers/' },
  'client_intake_applications.answers.read': { method: 'GET', path: '/client-intake-applications/{application_id}/answers/{question_key}/' },
  'client_intake_applications.answers.put': { method: 'PUT', path: '/client-intake-applications/{application_id}/answers/{question_key}/' },
  'client_intake_applications.answers.delete': { method: 'DELETE', path: '/client-intake-applications/{application_id}/answers/{question_key}/' },
  'client_intake_applications.items.list': { method: 'GET', path: '/client-intake-applications/{application_id}/answers/{group_key}/items/' },
  'client_intake_applications.items.create': { method: 'POST', path: '/client-intake-applications/{application_id}/answers/{group_key}/items/' },
  'client_intake_applications.items.read': { method: 'GET', path: '/client-intake-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'client_intake_applications.items.change': { method: 'PATCH', path: '/client-intake-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'client_intake_applications.items.delete': { method: 'DELETE', path: '/client-intake-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'client_intake_applications.files.create': { method: 'POST', path: '/client-intake-applications/{application_id}/files/' },
  'client_intake_applications.files.list': { method: 'GET', path: '/client-intake-applications/{application_id}/files/' },
  'client_intake_applications.files.read': { method: 'GET', path: '/client-intake-applications/{application_id}/files/{file_id}/' },
  'client_intake_applications.files.delete': { method: 'DELETE', path: '/client-intake-applications/{application_id}/files/{file_id}/' },
  'client_intake_applications.files.upload': { method: 'POST', path: '/client-intake-applications/{application_id}/files/{file_id}/upload/' },
  'client_intake_applications.files.download': { method: 'POST', path: '/client-intake-applications/{application_id}/files/{file_id}/download/' },
  'client_intake_applications.validation.read': { method: 'GET', path: '/client-intake-applications/{application_id}/validation/' },
  'client_intake_applications.submissions.read': { method: 'GET', path: '/client-intake-applications/{application_id}/submissions/{number}/' },
  'client_intake_applications.autofill.start': { method: 'POST', path: '/client-intake-applications/{application_id}/autofill/' },
  'client_intake_applications.autofill.list': { method: 'GET', path: '/client-intake-applications/{application_id}/autofill-runs/' },
  'client_intake_applications.autofill.read': { method: 'GET', path: '/client-intake-applications/{application_id}/autofill-runs/{run_id}/' },
  'client_intake_applications.autofill.apply': { method: 'POST', path: '/client-intake-applications/{application_id}/autofill-runs/{run_id}/apply/' },
  'deal_applications.create': { method: 'POST', path: '/deal-applications/' },
  'deal_applications.list': { method: 'GET', path: '/deal-applications/' },
  'deal_applications.read': { method: 'GET', path: '/deal-applications/{application_id}/' },
  'deal_applications.submit': { method: 'POST', path: '/deal-applications/{application_id}/submit/' },
  'deal_applications.respond': { method: 'POST', path: '/deal-applications/{application_id}/respond/' },
  'deal_applications.withdraw': { method: 'POST', path: '/deal-applications/{application_id}/withdraw/' },
  'deal_applications.acknowledge': { method: 'POST', path: '/deal-applications/{application_id}/acknowledge/' },
  'deal_applications.request_information': { method: 'POST', path: '/deal-applications/{application_id}/request-information/' },
  'deal_applications.return': { method: 'POST', path: '/deal-applications/{application_id}/return/' },
  'deal_applications.decline': { method: 'POST', path: '/deal-applications/{application_id}/decline/' },
  'deal_applications.cancel': { method: 'POST', path: '/deal-applications/{application_id}/cancel/' },
  'deal_applications.fund': { method: 'POST', path: '/deal-applications/{application_id}/fund/' },
  'offers.create': { method: 'POST', path: '/deal-applications/{application_id}/offers/' },
  'offers.list': { method: 'GET', path: '/deal-applications/{application_id}/offers/' },
  'offers.read': { method: 'GET', path: '/deal-applications/{application_id}/offers/{offer_id}/' },
  'offers.accept': { method: 'POST', path: '/deal-applications/{application_id}/offers/{offer_id}/accept/' },
  'offers.decline': { method: 'POST', path: '/deal-applications/{application_id}/offers/{offer_id}/decline/' },
  'offers.withdraw': { method: 'POST', path: '/deal-applications/{application_id}/offers/{offer_id}/withdraw/' },
  'deal_applications.answers.list': { method: 'GET', path: '/deal-applications/{application_id}/answers/' },
  'deal_applications.answers.write': { method: 'PATCH', path: '/deal-applications/{application_id}/answers/' },
  'deal_applications.answers.read': { method: 'GET', path: '/deal-applications/{application_id}/answers/{question_key}/' },
  'deal_applications.answers.put': { method: 'PUT', path: '/deal-applications/{application_id}/answers/{question_key}/' },
  'deal_applications.answers.delete': { method: 'DELETE', path: '/deal-applications/{application_id}/answers/{question_key}/' },
  'deal_applications.items.list': { method: 'GET', path: '/deal-applications/{application_id}/answers/{group_key}/items/' },
  'deal_applications.items.create': { method: 'POST', path: '/deal-applications/{application_id}/answers/{group_key}/items/' },
  'deal_applications.items.read': { method: 'GET', path: '/deal-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'deal_applications.items.change': { method: 'PATCH', path: '/deal-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'deal_applications.items.delete': { method: 'DELETE', path: '/deal-applications/{application_id}/answers/{group_key}/items/{item_id}/' },
  'deal_applications.files.create': { method: 'POST', path: '/deal-applications/{application_id}/files/' },
  'deal_applications.files.list': { method: 'GET', path: '/deal-applications/{application_id}/files/' },
  'deal_applications.files.read': { method: 'GET', path: '/deal-applications/{application_id}/files/{file_id}/' },
  'deal_applications.files.delete': { method: 'DELETE', path: '/deal-applications/{application_id}/files/{file_id}/' },
  'deal_applications.files.upload': { method: 'POST', path: '/deal-applications/{application_id}/files/{file_id}/upload/' },
  'deal_applications.files.download': { method: 'POST', path: '/deal-applications/{application_id}/files/{file_id}/download/' },
  'deal_applications.validation.read': { method: 'GET', path: '/deal-applications/{application_id}/validation/' },
  'deal_applications.submissions.read': { method: 'GET', path: '/deal-applications/{application_id}/submissions/{number}/' },
  'deal_applications.autofill.start': { method: 'POST', path: '/deal-applications/{application_id}/autofill/' },
  'deal_applications.autofill.list': { method: 'GET', path: '/deal-applications/{application_id}/autofill-runs/' },
  'deal_applications.autofill.read': { method: 'GET', path: '/deal-applications/{application_id}/autofill-runs/{run_id}/' },
  'deal_applications.autofill.apply': { method: 'POST', path: '/deal-applications/{application_id}/autofill-runs/{run_id}/apply/' },
  'projects.create': { method: 'POST', path: '/projects/' },
  'projects.list': { method: 'GET', path: '/projects/' },
  'projects.read': { method: 'GET', path: '/projects/{project_id}/' },
  'projects.change': { method: 'PATCH', path: '/projects/{project_id}/' },
  'criteria.read': { method: 'GET', path: '/projects/{project_id}/criteria/' },
  'criteria.suggestions': { method: 'GET', path: '/projects/{project_id}/criteria/suggestions/' },
  'criteria.change': { method: 'PATCH', path: '/projects/{project_id}/criteria/' },
  'criteria.definitions': { method: 'GET', path: '/criteria-definitions/' },
  'match_calculations.start': { method: 'POST', path: '/projects/{project_id}/match-calculations/' },
  'match_calculations.list': { method: 'GET', path: '/projects/{project_id}/match-calculations/' },
  'match_calculations.read': { method: 'GET', path: '/projects/{project_id}/match-calculations/{calculation_id}/' },
  'projects.what_if': { method: 'POST', path: '/projects/{project_id}/what-if/' },
  'matches.list': { method: 'GET', path: '/projects/{project_id}/matches/' },
  'matches.read': { method: 'GET', path: '/projects/{project_id}/matches/{match_id}/' },
  'matches.dismiss': { method: 'POST', path: '/projects/{project_id}/matches/{match_id}/dismiss/' },
  'matches.restore': { method: 'POST', path: '/projects/{project_id}/matches/{match_id}/restore/' },
  'funding_programs.create': { method: 'POST', path: '/funding-programs/' },
  'funding_programs.list': { method: 'GET', path: '/funding-programs/' },
  'funding_programs.read': { method: 'GET', path: '/funding-programs/{program_id}/' },
  'funding_programs.change': { method: 'PATCH', path: '/funding-programs/{program_id}/' },
  'funding_programs.publish': { method: 'POST', path: '/funding-programs/{program_id}/publish/' },
  'funding_programs.pause': { method: 'POST', path: '/funding-programs/{program_id}/pause/' },
  'funding_programs.close': { method: 'POST', path: '/funding-programs/{program_id}/close/' },
  'recipients.list': { method: 'GET', path: '/recipients/' },
  'recipients.read': { method: 'GET', path: '/recipients/{recipient_id}/' },
  'deals.create': { method: 'POST', path: '/deals/' },
  'deals.list': { method: 'GET', path: '/deals/' },
  'deals.read': { method: 'GET', path: '/deals/{deal_id}/' },
  'deals.change': { method: 'PATCH', path: '/deals/{deal_id}/' },
  'deals.progress': { method: 'GET', path: '/deals/{deal_id}/progress/' },
  'deals.disclosures': { method: 'GET', path: '/deals/{deal_id}/disclosures/' },
  'deals.move': { method: 'POST', path: '/deals/{deal_id}/stage/' },
  'deals.hold': { method: 'POST', path: '/deals/{deal_id}/hold/' },
  'deals.resume': { method: 'POST', path: '/deals/{deal_id}/resume/' },
  'deals.win': { method: 'POST', path: '/deals/{deal_id}/win/' },
  'deals.lose': { method: 'POST', path: '/deals/{deal_id}/lose/' },
  'deals.withdraw': { method: 'POST', path: '/deals/{deal_id}/withdraw/' },
  'deals.reopen': { method: 'POST', path: '/deals/{deal_id}/reopen/' },
  'webhooks.create': { method: 'POST', path: '/webhooks/' },
  'webhooks.list': { method: 'GET', path: '/webhooks/' },
  'webhooks.read': { method: 'GET', path: '/webhooks/{webhook_id}/' },
  'webhooks.change': { method: 'PATCH', path: '/webhooks/{webhook_id}/' },
  'webhooks.delete': { method: 'DELETE', path: '/webhooks/{webhook_id}/' },
  'webhooks.verify': { method: 'POST', path: '/webhooks/{webhook_id}/verify/' },
  'webhooks.pause': { method: 'POST', path: '/webhooks/{webhook_id}/pause/' },
  'webhooks.resume': { method: 'POST', path: '/webhooks/{webhook_id}/resume/' },
  'webhooks.rotate_secret': { method: 'POST', path: '/webhooks/{webhook_id}/rotate-secret/' },
  'webhooks.test': { method: 'POST', path: '/webhooks/{webhook_id}/test/' },
  'deliveries.list': { method: 'GET', path: '/webhooks/{webhook_id}/deliveries/' },
  'deliveries.read': { method: 'GET', path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/' },
  'deliveries.attempts': { method: 'GET', path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/attempts/' },
  'deliveries.redeliver': { method: 'POST', path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver/' },
  'webhooks.recover': { method: 'POST', path: '/webhooks/{webhook_id}/recover/' },
  'recoveries.read': { method: 'GET', path: '/webhooks/{webhook_id}/recoveries/{recovery_id}/' },
  'webhook_event_types.list': { method: 'GET', path: '/webhook-event-types/' },
  'events.list': { method: 'GET', path: '/events/' },
  'events.read': { method: 'GET', path: '/events/{event_id}/' },
  'audit_log.list': { method: 'GET', path: '/audit-log/' },
} as const
